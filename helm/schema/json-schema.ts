/** The part of JSON Schema (draft 7) that values are described with. */
export interface ValueSchema {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number)[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: ValueSchema;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly additionalProperties?: boolean | ValueSchema;
  readonly required?: readonly string[];
  readonly propertyNames?: ValueSchema;
  /** One of `definitions` at the top, written once. */
  readonly $ref?: string;
  /** Left out of the page: words for values that no longer exist. */
  readonly deprecated?: boolean;
}

type Bounds = Pick<ValueSchema, 'pattern' | 'minimum' | 'maximum' | 'minItems'>;

export const text = (description: string, bounds: Bounds = {}): ValueSchema => ({
  type: 'string',
  description,
  ...bounds,
});
export const flag = (description: string): ValueSchema => ({ type: 'boolean', description });
export const integer = (description: string, minimum: number, maximum: number): ValueSchema => ({
  type: 'integer',
  description,
  minimum,
  maximum,
});
export const choice = (description: string, choices: readonly string[]): ValueSchema => ({
  type: 'string',
  description,
  enum: choices,
});
export const list = (description: string, items: ValueSchema): ValueSchema => ({ type: 'array', description, items });

/** Every property is named: a misspelt one is an error, not a silent default. */
export const object = (
  description: string,
  properties: Readonly<Record<string, ValueSchema>>,
  required: readonly string[] = [],
): ValueSchema => ({
  type: 'object',
  description,
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
});

/** What Kubernetes takes as the key of a label or an annotation: a name, after the domain of who chose it. */
const KEY = '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?$';

/** Names that users choose, with texts behind them. */
export const annotations = (description: string): ValueSchema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string' },
  propertyNames: { pattern: KEY },
});
export const labels = (description: string): ValueSchema => ({
  type: 'object',
  description,
  additionalProperties: { type: 'string', pattern: '^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$' },
  propertyNames: { pattern: KEY },
});

/** A piece of Kubernetes' own, which its API server checks. */
export const kubernetes = (description: string, type: 'object' | 'array' = 'object'): ValueSchema =>
  type === 'object'
    ? { type, description: `${description}, as Kubernetes has it`, additionalProperties: true }
    : { type, description: `${description}, as Kubernetes has them`, items: { type: 'object' } };

const QUANTITY = String.raw`^[1-9][0-9]*(\.[0-9]+)?(k|M|G|T|Ki|Mi|Gi|Ti)?$`;
export const quantity = (description: string): ValueSchema => ({ type: 'string', description, pattern: QUANTITY });

/** The name of an object of Kubernetes, or nothing. */
export const name = (description: string): ValueSchema =>
  text(description, { pattern: '^([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)?$' });
/** A key of a Secret; `''` where it may be left out. */
export const key = (description: string, canBeEmpty?: ''): ValueSchema =>
  text(description, { pattern: canBeEmpty === undefined ? '^[A-Za-z0-9_.-]+$' : '^[A-Za-z0-9_.-]*$' });
