/** Arguments by which ffmpeg writes a film in the way phones do: HEVC that QuickTime plays, and AAC. */
export const AS_PHONES_FILM: readonly string[] = [
  ...['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-tag:v', 'hvc1'],
  ...['-pix_fmt', 'yuv420p', '-c:a', 'aac'],
];
