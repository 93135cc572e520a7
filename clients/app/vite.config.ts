import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const root = import.meta.dirname;
/** Where the role `app` looks for it. */
const BUILT = resolve(root, '../../.cache/app');

/** From the lowest to the highest. */
const LAYERS = '@layer tokens, base, parts, frame, pages;';

/**
 * Names the layers in every style sheet. The first sheet that a page loads decides their order, and that is one of a
 * part or of a page as often as app.css: what is shared comes in files of its own, which are linked before it.
 */
const layerOrder: Plugin = {
  name: 'layer-order',
  enforce: 'pre',
  transform: (code, id) => (/\.css($|\?)/.test(id) ? `${LAYERS}\n${code}` : null),
};

const MAIN = /[\\/]app[\\/]main\.tsx$/;

/**
 * Has browsers load the scripts and styles that draw the app while they read the page: `begin.ts` asks for them only
 * once it runs.
 */
const filesOfMain: Plugin = {
  name: 'files-of-main',
  transformIndexHtml: {
    order: 'post',
    handler(html, { bundle = {} }) {
      const files = new Set<string>();
      const add = (name: string): void => {
        const chunk = bundle[name];
        if (chunk?.type !== 'chunk' || files.has(name) || html.includes(name)) return;
        files.add(name);
        for (const style of chunk.viteMetadata?.importedCss ?? []) files.add(style);
        chunk.imports.forEach(add);
      };
      for (const [name, file] of Object.entries(bundle))
        if (file.type === 'chunk' && file.moduleIds.some((id) => MAIN.test(id))) add(name);
      if (files.size === 0) throw new Error('No file of the build has main.tsx in it');
      return [...files].map((name) => ({
        tag: 'link',
        attrs: { rel: name.endsWith('.css') ? 'stylesheet' : 'modulepreload', crossorigin: true, href: `./${name}` },
        injectTo: 'head',
      }));
    },
  },
};

/** The chunks of the first view, which runs most of what is in them. */
const CALLED_ON_LOAD: readonly string[] = ['begin', 'react', 'first'];

/**
 * Has V8 compile all functions of the first view while it loads them, on another thread. Else it compiles each when it
 * is called, in the way of all that follows: some 1,500 of them, a third of the script's time. Other browsers read a
 * comment. Nothing may stand before it, so it is added last.
 */
const compileOnLoad: Plugin = {
  name: 'compile-on-load',
  generateBundle: {
    order: 'post',
    handler(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      for (const name of CALLED_ON_LOAD) {
        const chunk = chunks.find((one) => one.name === name);
        if (chunk === undefined) throw new Error(`The build has no chunk "${name}"`);
        chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
      }
    },
  },
};

const OTHER_LANGUAGE =
  /[\\/]react-(?:aria|stately|aria-components)[\\/]dist[\\/]private[\\/]intl[\\/].*[a-z]{2}-[A-Z]{2}\.mjs$/;
const DEFAULT_LOCALE = /[\\/]react-aria[\\/]dist[\\/]private[\\/]i18n[\\/]useDefaultLocale\.mjs$/;
const ENGLISH = "const locale = { locale: 'en-GB', direction: 'ltr' };";

/**
 * React Aria has words of its own in 34 languages, and takes those of the browser; the app is English for everybody.
 * To look for the browser's costs 20 to 40 ms of script, as the first thing that a page asks of `Intl`.
 */
function oneLanguage(): Plugin {
  let replaced = 0;
  return {
    name: 'one-language',
    load(id) {
      const isLocale = DEFAULT_LOCALE.test(id);
      if (!isLocale && (!OTHER_LANGUAGE.test(id) || id.endsWith('en-US.mjs'))) return null;
      replaced += isLocale ? 1 : 0;
      return isLocale
        ? `${ENGLISH} export const getDefaultLocale = () => locale, useDefaultLocale = () => locale;`
        : 'export default undefined;';
    },
    buildEnd(error) {
      if (error === undefined && replaced === 0) throw new Error('React Aria keeps its locale elsewhere now');
    },
  };
}

/** The browser app: files below /app/ that the role `app` serves. No script and no style stands in the HTML. */
export default defineConfig({
  root,
  // Files name each other relative to themselves; in the page the server writes the path below which it serves them.
  base: './',
  plugins: [layerOrder, filesOfMain, oneLanguage(), react(), compileOnLoad],
  cacheDir: resolve(root, '../../.cache/vite'),
  build: {
    outDir: BUILT,
    emptyOutDir: true,
    // Browsers that know light-dark(): all of them since May 2024.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    // A file inside of a style or a script would need `data:` in the content security policy.
    assetsInlineLimit: 0,
    // The polyfill is a script of its own inside the page; every browser that has the rest has module preload.
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1_000,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Three files instead of thirty for the frame and the calendar, which is what most people open: each costs a
          // request of the first view. What begins it comes before, so it takes nothing from the others.
          groups: [
            {
              name: 'react',
              test: /[\\/](node_modules[\\/](react|react-dom)[\\/]|app[\\/]start[\\/]react\.ts$)/,
              priority: 3,
            },
            { name: 'begin', test: /[\\/]app[\\/]begin\.ts$/, priority: 2 },
            { name: 'first', test: /[\\/]app[\\/](main|pages[\\/]calendar[\\/]calendar-page)\.tsx$/, priority: 1 },
          ],
        },
      },
    },
  },
});
