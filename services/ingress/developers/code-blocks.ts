import { escaped } from '#http-server/page.ts';

const NAMES: Readonly<Record<string, string>> = {
  bash: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
  go: 'Go',
};

export interface CodeBlock {
  readonly language: string;
  readonly code: string;
}

/** One block with a button that copies it. The block can be scrolled by keyboard. */
export function codeBlock({ language, code }: CodeBlock, label = 'Code'): string {
  const copy = '<button type="button" class="copy" data-copy>Copy</button>';
  const name = `${label}${NAMES[language] === undefined ? '' : ` in ${NAMES[language]}`}`;
  return `<div class="code ${escaped(language)}">${copy}<pre tabindex="0" role="group" aria-label="${escaped(name)}"><code>${escaped(code)}</code></pre></div>`;
}

/**
 * The same in several languages, one of them shown. Radio buttons choose it, which the style sheet obeys: it works
 * without a script, and nothing moves when the script arrives. `id`: unique on the page.
 */
export function languageTabs(blocks: readonly CodeBlock[], id: string, label = 'Example'): string {
  const radios = blocks.map(
    ({ language }, index) =>
      `<label><input type="radio" name="${escaped(id)}" value="${language}" data-language${index === 0 ? ' checked' : ''}><span>${NAMES[language] ?? language}</span></label>`,
  );
  return `<fieldset class="tabs"><legend>${escaped(label)}</legend>${radios.join('')}${blocks.map((block) => codeBlock(block, label)).join('')}</fieldset>`;
}
