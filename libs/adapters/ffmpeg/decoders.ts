/**
 * The codecs of pictures that cameras, phones and editors write today, by ffmpeg's names for the format. ffmpeg has
 * hundreds more, most of which no fuzzer looks at any longer.
 */
const PICTURE_CODECS: readonly string[] = ['h264', 'hevc', 'vp8', 'vp9', 'av1', 'mpeg4', 'prores'];
const SOUND_CODECS: readonly string[] = ['aac', 'mp3', 'opus', 'alac', 'ac3', 'eac3'];
/** Sound without compression: each width and order of bytes has a name of its own. */
const PLAIN_SOUND: readonly string[] = [
  ...['pcm_u8', 'pcm_s8', 'pcm_alaw', 'pcm_mulaw', 'pcm_s16be', 'pcm_s16le', 'pcm_s24be', 'pcm_s24le'],
  ...['pcm_s32be', 'pcm_s32le', 'pcm_f32be', 'pcm_f32le', 'pcm_f64be', 'pcm_f64le'],
];

/** Programs of ffmpeg for a codec that bear other names than the codec. */
const OTHER_DECODERS: readonly string[] = ['libdav1d', 'libaom-av1', 'mp3float'];

/** The only decoders that ffmpeg may open, whatever a file names. */
export const DECODERS: string = [...PICTURE_CODECS, ...SOUND_CODECS, ...PLAIN_SOUND, ...OTHER_DECODERS].join(',');
/** ffprobe opens the decoders of all tracks: those of covers and subtitles too, which are left out of what is made. */
export const PROBED_DECODERS = `${DECODERS},mjpeg,png,mov_text`;

export function isDecodedPicture(codec: string): boolean {
  return PICTURE_CODECS.includes(codec);
}

export function isDecodedSound(codec: string): boolean {
  return SOUND_CODECS.includes(codec) || PLAIN_SOUND.includes(codec);
}
