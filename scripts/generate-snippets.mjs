#!/usr/bin/env node
// Writes snippets/LANGUAGE.json and snippets/README.md from the regions in snippets/src.
// `node scripts/generate-snippets.mjs` writes; `--check` only says what differs and exits 1.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { inRoot } from './lib/paths.mjs';
import { isMain, main, StepError } from './lib/run.mjs';
import { readLanguages } from './snippets/regions.mjs';
import { toJson } from './snippets/render.mjs';

const titles = { cpp: 'C++', 'cuda-cpp': 'CUDA C++', python: 'Python', 'objective-cpp': 'Objective-C++' };

/** Map from path below the repository to the text that it must have. */
export function generateSnippets() {
  const languages = Object.entries(readLanguages(inRoot('snippets/src')));
  const files = languages.map(([language, regions]) => [`snippets/${language}.json`, toJson(regions, language)]);
  return new Map([...files, ['snippets/README.md', overview(languages)]]);
}

function overview(languages) {
  const head = `# Snippets

Correct patterns for the seam between CUDA, Vulkan and their neighbours. Type a prefix (\`seam-...\`) in a file of the language; C++
snippets are offered in CUDA files too. Generated from \`src\`, where every pattern is part of a source file that the tests compile:
change it there, then run \`node scripts/generate-snippets.mjs\`.
`;
  const lists = languages.map(([language, regions]) => {
    const items = regions.map(({ prefix, description }) => `- \`${prefix}\`: ${description}`);
    return `\n## ${titles[language]}\n\n${items.join('\n')}\n`;
  });
  return head + lists.join('');
}

async function writeOrCheck() {
  const stale = [...generateSnippets()].filter(([file, text]) => !existsSync(inRoot(file)) || readFileSync(inRoot(file), 'utf8') !== text);
  if (process.argv.includes('--check') && stale.length > 0) {
    throw new StepError(`${stale.map(([file]) => file).join(', ')} differ from snippets/src: run \`node scripts/generate-snippets.mjs\`.`);
  }
  for (const [file, text] of stale) {
    writeFileSync(inRoot(file), text);
    console.log(`${file} written.`);
  }
}

if (isMain(import.meta.url)) await main(writeOrCheck);
