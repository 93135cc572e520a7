/** Of the address itself: doors are made without the framework's parser of queries. */
export function queryOf({ url }: { readonly url: string }): URLSearchParams {
  const mark = url.indexOf('?');
  return new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
}
