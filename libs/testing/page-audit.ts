/** What keeps a page from people who see little, use the keyboard alone, or have it read to them. Empty: nothing. */
export function auditPage(html: string): readonly string[] {
  return [...documentProblems(html), ...controlProblems(html), ...referenceProblems(html), ...colourProblems(html)];
}

function documentProblems(html: string): string[] {
  const levels = [...html.matchAll(/<h([1-6])[ >]/g)].map(([, level]) => Number(level));
  const skipped = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
  return [
    ...unless(/<html lang="[a-z]{2}"/.test(html), 'the page names no language'),
    ...unless(/<title>[^<]+<\/title>/.test(html), 'the page has no title'),
    ...unless(/<meta name="viewport" content="(?!.*user-scalable=no)/.test(html), 'the page can not be enlarged'),
    ...unless(/<main>.*<\/main>/s.test(html), 'the page has no main part'),
    ...unless(levels.filter((level) => level === 1).length === 1, 'the page has not one first heading'),
    ...unless(skipped.length === 0, `headings skip a level: ${levels.join(' ')}`),
    ...unless(!/tabindex="[1-9]/.test(html), 'the order of focus is not that of the page'),
    ...unless(!/<script|\son[a-z]+=/.test(html), 'the page runs scripts'),
  ];
}

function controlProblems(html: string): string[] {
  const problems: string[] = [];
  for (const [label, inside] of html.matchAll(/<label[^>]*>(.*?)<\/label>/gs))
    if (textOf(inside!) === '') problems.push(`a label says nothing: ${label}`);
  const outsideOfLabels = html.replace(/<label[^>]*>.*?<\/label>/gs, '');
  for (const [input] of outsideOfLabels.matchAll(/<(?:input|select|textarea)\b[^>]*>/g))
    if (!/type="hidden"|aria-label="/.test(input)) problems.push(`nothing says what this is for: ${input}`);
  for (const [whole, attributes, inside] of html.matchAll(/<(?:button|a)\b([^>]*)>(.*?)<\/(?:button|a)>/gs))
    if (textOf(inside!) === '' && !/aria-label="[^"]/.test(attributes!)) problems.push(`has no words: ${whole}`);
  const outsideOfGroups = html.replace(/<fieldset><legend>[^<]+<\/legend>.*?<\/fieldset>/gs, '');
  for (const [input] of outsideOfGroups.matchAll(/<input type="(?:radio|checkbox)"[^>]*>/g))
    problems.push(`no group says what is chosen: ${input}`);
  for (const [form] of html.matchAll(/<form\b.*?<\/form>/gs))
    if (!form.includes('<button')) problems.push(`a form has no button: ${form}`);
  return problems;
}

function referenceProblems(html: string): string[] {
  const ids = [...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id!);
  const twice = ids.filter((id, index) => ids.indexOf(id) < index);
  const named = [...html.matchAll(/\s(?:aria-describedby|aria-labelledby|for)="([^"]*)"/g)].map(([, id]) => id!);
  return [
    ...twice.map((id) => `two parts are called ${id}`),
    ...named.filter((id) => !ids.includes(id)).map((id) => `no part is called ${id}`),
  ];
}

/** Least contrasts of WCAG 2.2, AA: of text, and of what shows where a control is. */
const LEAST: readonly (readonly [front: string, back: string, ratio: number])[] = [
  ['ink', 'paper', 4.5],
  ['soft', 'paper', 4.5],
  ['accent', 'paper', 4.5],
  ['alarm', 'paper', 4.5],
  ['on-accent', 'accent', 4.5],
  ['line', 'paper', 3],
];

/** Of the light scheme, and of the dark one, which is declared second. */
function colourProblems(html: string): string[] {
  const schemes = [...html.matchAll(/:root\{([^}]*)\}/g)].map(
    ([, rules]) =>
      new Map([...rules!.matchAll(/--([\w-]+):(#[\da-f]{3,6})/g)].map(([, name, colour]) => [name!, colour!])),
  );
  if (schemes.length !== 2) return [`the page has ${schemes.length} colour schemes`];
  return schemes.flatMap((colours, index) =>
    LEAST.flatMap(([front, back, least]) => {
      const ratio = contrastOf(colours.get(front) ?? '', colours.get(back) ?? '');
      return unless(ratio >= least, `scheme ${index}: ${front} on ${back} is ${ratio.toFixed(2)}, below ${least}`);
    }),
  );
}

function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

/** Relative luminance of WCAG. NaN: it is no colour, which is in no contrast to anything. */
function luminanceOf(colour: string): number {
  const digits = colour.length === 4 ? [...colour.slice(1)].map((digit) => digit + digit).join('') : colour.slice(1);
  const [red, green, blue] = [0, 2, 4].map((from) => {
    const share = Number.parseInt(digits.slice(from, from + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').trim();
}

function unless(isRight: boolean, problem: string): string[] {
  return isRight ? [] : [problem];
}
