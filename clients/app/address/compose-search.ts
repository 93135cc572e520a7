import { present, textOf, type AddressSearch } from './search.ts';

/** The address of the composer: a draft that is kept in the browser, a Post to begin from, a time that was chosen. */
export interface ComposeSearch {
  /** Id of a draft in this browser. */
  readonly draft?: string;
  /** Id of a Post whose successor is written. */
  readonly replace?: string;
  /** Id of a Post to begin from. */
  readonly copy?: string;
  /** With `copy`: the id of the one Channel that it is written for again. */
  readonly only?: string;
  /** ISO 8601 with a zone: when it is to be published. */
  readonly at?: string;
}

/** Takes whatever an address holds; what can not be meant is left out. */
export function composeSearchOf(search: AddressSearch): ComposeSearch {
  const at = textOf(search, 'at');
  return present({
    draft: textOf(search, 'draft'),
    replace: textOf(search, 'replace'),
    copy: textOf(search, 'copy'),
    only: textOf(search, 'only'),
    at: at !== undefined && !Number.isNaN(Date.parse(at)) ? at : undefined,
  });
}
