/**
 * Matches one emoji as a person sees it: with skin tone, flags, keycaps, families joined by U+200D; also one that
 * leaves the presentation selector out. Digits, #, *, © and ® alone are none.
 *
 * The first line alone would be `\p{RGI_Emoji}`, which tries thousands of sequences wherever a character might begin
 * one: a text of emoji alone then takes 30 times as long. Its parts are tried only where the characters that follow can
 * be one of them.
 */
export const EMOJI = new RegExp(
  [
    String.raw`(?=\p{Emoji})(?:(?=\p{Emoji}(?:\p{EMod}|\uFE0F)?\u200D)\p{RGI_Emoji_ZWJ_Sequence}|(?=\p{RI})\p{RGI_Emoji_Flag_Sequence}|\p{RGI_Emoji_Tag_Sequence}`,
    String.raw`(?=\p{EBase}\p{EMod})\p{RGI_Emoji_Modifier_Sequence}|\p{Emoji_Keycap_Sequence}|\p{Basic_Emoji}`,
    String.raw`[\p{Emoji}--[0-9#*©®\u{1F1E6}-\u{1F1FF}]]\uFE0F?)`,
  ].join('|'),
  'gv',
);
