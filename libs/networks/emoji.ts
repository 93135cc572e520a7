/**
 * Matches one emoji as a person sees it: with skin tone, flags, keycaps, families joined by U+200D; also one that leaves the
 * presentation selector out. Digits, #, *, © and ® alone are none.
 */
export const EMOJI = /\p{RGI_Emoji}|[\p{Emoji}--[0-9#*©®\u{1F1E6}-\u{1F1FF}]]\uFE0F?/gv;
