import type { ComposeDraft, SentOptions } from './compose-draft.ts';
import { setOptions, type DraftChange } from './draft-changes.ts';

interface DisclosingChannel {
  readonly id: string;
  readonly defaults: SentOptions;
}

export interface CommercialDisclosure {
  /** The switch for commercial content: a person turned it on, or something is disclosed. */
  readonly isOn: boolean;
  readonly ownBrand: boolean;
  readonly brandedContent: boolean;
}

/** What a Post discloses on a Channel: what it says there, and where it says nothing, the Channel's own setting. */
export function disclosureOf(
  { disclosing, options }: Pick<ComposeDraft, 'disclosing' | 'options'>,
  { id, defaults }: DisclosingChannel,
): CommercialDisclosure {
  const said = { ...defaults, ...options[id] };
  const [ownBrand, brandedContent] = [said.ownBrand === true, said.brandedContent === true];
  return { isOn: ownBrand || brandedContent || disclosing.includes(id), ownBrand, brandedContent };
}

/** Turning it off takes back what was disclosed, and says so where the Channel's own setting would disclose it. */
export function setDisclosing({ id, defaults }: DisclosingChannel, isOn: boolean): DraftChange {
  return (draft) => {
    const others = draft.disclosing.filter((each) => each !== id);
    if (isOn) return { ...draft, disclosing: [...others, id] };
    const off = (ofChannel: boolean | undefined) => (ofChannel === true ? false : undefined);
    const without = { ownBrand: off(defaults.ownBrand), brandedContent: off(defaults.brandedContent) };
    return { ...setOptions(id, without)(draft), disclosing: others };
  };
}
