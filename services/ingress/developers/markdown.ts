import { Marked, type Token, type Tokens } from 'marked';
import { escaped } from '#http-server/page.ts';
import { codeBlock, languageTabs } from './code-blocks.ts';

export interface Heading {
  readonly id: string;
  /** HTML. */
  readonly title: string;
}

export interface RenderedMarkdown {
  /** Of the first heading; the content is without it. */
  readonly title: string;
  readonly html: string;
  /** Of the second level. */
  readonly headings: readonly Heading[];
}

const TABBED = new Set(['bash', 'typescript', 'python', 'go']);

/** As renderers make anchors of headings. */
function anchorOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}

/**
 * A page of ours as HTML. Neighbouring blocks in bash, TypeScript and Python become one example with a choice of the
 * language. HTML in the source is shown as text. `linkOf`: where a link leads on the site; null makes it plain text.
 */
export function renderMarkdown(source: string, linkOf: (href: string) => string | null): RenderedMarkdown {
  const headings: Heading[] = [];
  let title = '';
  let tabs = 0;
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth, text }) {
        const html = this.parser.parseInline(tokens);
        if (depth === 1) {
          title = text;
          return '';
        }
        const id = anchorOf(text);
        if (depth === 2) headings.push({ id, title: html });
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const address = linkOf(href);
        return address === null ? html : `<a href="${escaped(address)}">${html}</a>`;
      },
      html: ({ text }) => escaped(text),
      image: ({ text }) => escaped(text),
      table(token) {
        const cell = ({ tokens }: Tokens.TableCell, tag: string): string =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag.split(' ')[0]}>`;
        const row = (cells: readonly Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map((one) => cell(one, tag)).join('')}</tr>`;
        const body = token.rows.map((cells) => row(cells, 'td')).join('');
        return `<div class="table" role="group" aria-label="Table" tabindex="0"><table><thead>${row(token.header, 'th scope="col"')}</thead><tbody>${body}</tbody></table></div>`;
      },
      code: ({ text, lang = '' }) => codeBlock({ language: lang, code: text }),
    },
  });
  const rendered = grouped(marked.lexer(source)).map((part) =>
    'blocks' in part
      ? languageTabs(
          part.blocks.map(({ lang = '', text }) => ({ language: lang, code: text })),
          `example-${(tabs += 1)}`,
        )
      : marked.parser(part.tokens),
  );
  return { title, html: rendered.join(''), headings };
}

type Part = { readonly tokens: Token[] } | { readonly blocks: Tokens.Code[] };

/** The tokens, with each row of neighbouring blocks in different languages as one part. */
function grouped(tokens: readonly Token[]): readonly Part[] {
  const parts: Part[] = [];
  for (const token of tokens) {
    const last = parts.at(-1);
    const isTabbed = token.type === 'code' && TABBED.has((token as Tokens.Code).lang ?? '');
    if (token.type === 'space') continue;
    if (isTabbed && last !== undefined && 'blocks' in last) last.blocks.push(token as Tokens.Code);
    else if (isTabbed) parts.push({ blocks: [token as Tokens.Code] });
    else if (last !== undefined && 'tokens' in last) last.tokens.push(token);
    else parts.push({ tokens: [token] });
  }
  return parts;
}
