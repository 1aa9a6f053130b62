/** The seam test for the editor, which loads it when a test begins. Nothing native runs in the process that calls it. */
export { runSeamTest } from './seamtest';
export { seamMarkdown } from './seamtest-markdown';
export { whyNoPartner } from './seamtest-partner';
export { chooseTargets } from './seamtest-plan';
