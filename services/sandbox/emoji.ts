/**
 * Source of an expression, for flag v, that matches the same as `\p{RGI_Emoji}`: the sequences that people see as one
 * emoji. That property tries thousands of sequences at every character, and simulators share the event loop with
 * everything else: here each kind of sequence is tried only where the next characters allow it.
 */
export const EMOJI_SEQUENCE = [
  String.raw`(?=\p{Emoji})(?:(?=\p{Emoji}(?:\p{EMod}|\uFE0F)?\u200D)\p{RGI_Emoji_ZWJ_Sequence}`,
  String.raw`(?=\p{RI})\p{RGI_Emoji_Flag_Sequence}`,
  String.raw`\p{RGI_Emoji_Tag_Sequence}`,
  String.raw`(?=\p{EBase}\p{EMod})\p{RGI_Emoji_Modifier_Sequence}`,
  String.raw`\p{Emoji_Keycap_Sequence}`,
  String.raw`\p{Basic_Emoji})`,
].join('|');
