/** What stands behind the `?` of an address, as plain words: a list is joined by commas. */
export type AddressSearch = Readonly<Record<string, unknown>>;

/** Everything is text: an id of digits stays what it is. */
export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

/** With the `?`, or empty. Absent and empty values are left out. */
export function writeSearch(search: AddressSearch): string {
  const words = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    const text = Array.isArray(value) ? value.join(',') : String(value ?? '');
    if (text !== '') words.set(name, text);
  }
  // Commas and colons are allowed there and are easier to read as they are.
  const written = words.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return written === '' ? '' : `?${written}`;
}

/** Undefined for what is absent, empty or not text. */
export function textOf(search: AddressSearch, name: string): string | undefined {
  const value = search[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Undefined for no value at all. Takes text with commas as well as a list. */
export function listOf(search: AddressSearch, name: string): readonly string[] | undefined {
  const value = search[name];
  const words = (Array.isArray(value) ? value.map(String) : String(value ?? '').split(',')).filter(
    (word) => word !== '',
  );
  return words.length === 0 ? undefined : words;
}

/** Undefined for what is none of `choices`. */
export function choiceOf<Choice extends string>(
  search: AddressSearch,
  name: string,
  choices: readonly Choice[],
): Choice | undefined {
  return choices.find((choice) => choice === search[name]);
}

/** Without the entries that are undefined, so that optional fields are absent. */
export function present<Values extends object>(values: Values): { [Name in keyof Values]?: NonNullable<Values[Name]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof Values]?: NonNullable<Values[Name]>;
  };
}
