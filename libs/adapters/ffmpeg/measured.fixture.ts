import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { colourAt, type MediaFolder, type Colour } from '#media/made-files.fixture.ts';

const run = promisify(execFile);

/** What ffprobe reports of each stream, by its own field names. */
async function streamsOf(path: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const { stdout } = await run('ffprobe', ['-v', 'error', '-print_format', 'json', '-show_streams', path]);
  const { streams } = JSON.parse(stdout) as { readonly streams: readonly Readonly<Record<string, unknown>>[] };
  return streams.map((stream) =>
    Object.fromEntries(
      Object.entries(stream).map(([name, value]) => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ]),
    ),
  );
}

/** The picture's stream and the sound's; throws when there are other streams. */
export async function tracksOf(path: string) {
  const [picture, sound, ...others] = await streamsOf(path);
  if (picture?.['codec_type'] !== 'video' || sound?.['codec_type'] !== 'audio' || others.length > 0)
    throw new Error('not one picture and one sound');
  return { picture, sound };
}

/** In LUFS, by ITU-R BS.1770. */
export async function loudnessOf(harness: MediaFolder, path: string): Promise<number> {
  const said = await harness.ffmpeg('-i', path, '-vn', '-af', 'ebur128', '-f', 'null', '-');
  return Number(/Integrated loudness:\s+I:\s+(-?[\d.]+) LUFS/.exec(said)?.[1]);
}

/** The colour of the picture at `second`, at a position given as shares of width and height. */
export async function filmColourAt(
  harness: MediaFolder,
  path: string,
  second: number,
  x: number,
  y: number,
): Promise<Colour> {
  const still = harness.path(`still-${Math.round(second * 1000)}-${Math.round(x * 100)}-${Math.round(y * 100)}.png`);
  await harness.ffmpeg('-ss', String(second), '-i', path, '-frames:v', '1', still);
  return colourAt(still, x, y);
}

/** When the picture first turns from black to white, and when silence first ends; seconds. */
export async function flashAndBeep(
  harness: MediaFolder,
  path: string,
): Promise<{ readonly flash: number; readonly beep: number }> {
  const said = await harness.ffmpeg(
    '-i',
    path,
    '-vf',
    'blackdetect=d=0.1:pix_th=0.5',
    '-af',
    'silencedetect=noise=-30dB:d=0.1',
    '-f',
    'null',
    '-',
  );
  return { flash: Number(/black_end:([\d.]+)/.exec(said)?.[1]), beep: Number(/silence_end: ([\d.]+)/.exec(said)?.[1]) };
}

/** When each picture is shown, in seconds, in order, and which of them are key frames. */
export async function picturesOf(
  path: string,
): Promise<{ readonly times: readonly number[]; readonly keys: readonly number[] }> {
  const { stdout } = await run(
    'ffprobe',
    ['-v', 'error', '-select_streams', 'v', '-show_entries', 'packet=pts_time,flags', '-of', 'csv=p=0', path],
    { maxBuffer: 1e8 },
  );
  const pictures = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const ascending = (one: number, other: number) => one - other;
  return {
    times: pictures.map(([time]) => Number(time)).sort(ascending),
    keys: pictures
      .filter(([, flags]) => flags?.startsWith('K'))
      .map(([time]) => Number(time))
      .sort(ascending),
  };
}
