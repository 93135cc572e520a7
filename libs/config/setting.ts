type Kind = 'text' | 'integer' | 'boolean' | 'list' | 'choice' | 'url';

export interface Setting {
  readonly variable: string;
  readonly kind: Kind;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** What holds when it is not set, in the form it is written; null = nothing, or worked out at start (see doc). */
  readonly fallback: string | null;
  readonly secret?: boolean;
  readonly doc: string;
}

export const text = (variable: string, fallback: string, doc: string) =>
  ({ variable, kind: 'text', fallback, doc }) as const;
export const secret = (variable: string, doc: string) =>
  ({ variable, kind: 'text', fallback: null, secret: true, doc }) as const;
export const file = (variable: string, doc: string) => ({ variable, kind: 'text', fallback: null, doc }) as const;
export const flag = (variable: string, fallback: string | null, doc: string) =>
  ({ variable, kind: 'boolean', fallback, doc }) as const;
export const list = (variable: string, fallback: string | null, doc: string) =>
  ({ variable, kind: 'list', fallback, doc }) as const;
export const url = (variable: string, doc: string) => ({ variable, kind: 'url', fallback: null, doc }) as const;
export const integer = <F extends string | null>(
  variable: string,
  fallback: F,
  minimum: number,
  maximum: number,
  doc: string,
) => ({ variable, kind: 'integer', fallback, minimum, maximum, doc }) as const;
export const choice = <const C extends readonly string[], F extends C[number] | null>(
  variable: string,
  choices: C,
  fallback: F,
  doc: string,
) => ({ variable, kind: 'choice', choices, fallback, doc }) as const;
export const port = (variable: string, fallback: string, doc: string) => integer(variable, fallback, 0, 65_535, doc);
