import { seamTerms } from '../../../helper/protocol/seam-words';
import { element, textButton } from '../shared/dom';
import { section } from './section';

/** The report's terms, each in a sentence, and the way to the page about them. */
export function wordsSection(onMore: () => void): HTMLElement {
  const terms = seamTerms.flatMap(({ word, meaning }) => [element('dt', {}, word), element('dd', {}, meaning)]);
  return section('Words', element('dl', { class: 'words' }, ...terms), textButton('Read More', 'Open the page about the seam test', onMore));
}
