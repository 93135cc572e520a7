import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { rolldown, type Plugin } from 'rolldown';
import { BUNDLE, freshBundle, PROGRAM, ROOT, STAMP, type BundleStamp } from './fresh-bundle.ts';

// Builds crier, and the program by which tests start it with files, into a few files when a file that went into them
// has changed since, which takes some seconds; else ends at once. A process that starts from them loads a dozen files
// in place of a thousand.

/** Native code, and what is changed or asked for by its path in node_modules, where there must be one copy of it. */
const LEFT_OUT = /^(node:|sharp$|cassandra-driver|kafkajs|pino|avsc|@kafkajs\/)/;

/**
 * What Crier starts in processes and threads of their own. From their sources each would load what strips types, which
 * takes a tenth of a second of processor: at every start for the watchdog, and for three workers at that of the demo.
 */
const PROGRAMS = [
  'libs/adapters/node-inspector/loop-watchdog-worker.ts',
  'libs/adapters/child-process/launcher-program.ts',
  'libs/adapters/sharp/picture-worker.ts',
  'libs/adapters/ffmpeg/movie-boxes-program.ts',
];
const NAME_OF_PROGRAM = new RegExp(`'\\./(${PROGRAMS.map((path) => basename(path, '.ts')).join('|')})\\.ts'`);

/** Less to read at each start. Names stay: stacks and logs say where they come from, and oidc-provider goes by them. */
const MINIFY = {
  compress: { keepNames: { function: true, class: true } },
  mangle: false,
  codegen: { removeWhitespace: true },
} as const;

/** As bin/crier. */
const SCRIPT = `#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export NODE_COMPILE_CACHE="\${NODE_COMPILE_CACHE:-$here/../compiled}"
export MALLOC_ARENA_MAX="\${MALLOC_ARENA_MAX:-2}"
export UV_THREADPOOL_SIZE="\${UV_THREADPOOL_SIZE:-16}"
exec "$here/../../node_modules/.bin/node" --max-semi-space-size=16 "$here/main.js" "$@"
`;

/** Keeps every file's knowledge of its own place, where pages and schemas are found. Programs lie in the bundle. */
const places: Plugin = {
  name: 'places',
  transform: {
    filter: { code: /import\.meta\.(url|dirname|main)\b/, id: { exclude: /node_modules|^\0/ } },
    handler: (code, id) => {
      const place = `new URL('../../${relative(ROOT, id)}', import.meta.url)`;
      const as: Readonly<Record<string, string>> = {
        url: `${place}.href`,
        dirname: `new URL('.', ${place}).pathname.slice(0, -1)`,
        main: 'false',
      };
      // What starts a program knows it, and the folder of its code, by its own address.
      if (NAME_OF_PROGRAM.test(code)) return code.replace(NAME_OF_PROGRAM, "'./$1.js'");
      return code.replaceAll(/\bimport\.meta\.(url|dirname|main)\b/g, (_, name: string) => as[name]!);
    },
  },
};

if (freshBundle() === null) await build();

async function build(): Promise<void> {
  const startedAt = Date.now();
  const bundle = await rolldown({
    input: {
      main: join(ROOT, 'services/crier/cli/main.ts'),
      'with-files': join(ROOT, 'test/guarantees/with-files.ts'),
      ...Object.fromEntries(PROGRAMS.map((path) => [basename(path, '.ts'), join(ROOT, path)])),
    },
    platform: 'node',
    external: LEFT_OUT,
    plugins: [places],
    checks: { eval: false },
  });
  const folder = `${BUNDLE}-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  const { output } = await bundle.write({ dir: folder, format: 'esm', entryFileNames: '[name].js', minify: MINIFY });
  await bundle.close();
  const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
  const own = modules.filter((id) => id.startsWith(ROOT) && !id.includes('node_modules'));
  const paths = [...own.map((id) => relative(ROOT, id)), 'package-lock.json', relative(ROOT, import.meta.filename)];
  writeFileSync(join(folder, STAMP), JSON.stringify({ startedAt, paths } satisfies BundleStamp));
  writeFileSync(join(folder, PROGRAM), SCRIPT);
  chmodSync(join(folder, PROGRAM), 0o755);
  rmSync(BUNDLE, { recursive: true, force: true });
  renameSync(folder, BUNDLE);
  const bytes = output.reduce((sum, { fileName }) => sum + statSync(join(BUNDLE, fileName)).size, 0);
  process.stdout.write(`crier in ${output.length} files, ${Math.round(bytes / 1e6)} MB\n`);
}
