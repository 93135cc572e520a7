import { NETWORKS, type Network } from '#domain/network.ts';

const TINTS: Readonly<Record<Network, string>> = {
  facebook: '#1877f2',
  instagram: '#d6317e',
  tiktok: '#18b8b2',
  youtube: '#e5342c',
  x: '#71818f',
  threads: '#8a63f0',
};

const tints = NETWORKS.map((network) => `.${network} { --tint: ${TINTS[network]} }`).join('\n');

/**
 * Colours first, those of the app in light and dark, and one of each Network; then what every page has, posts, Stories,
 * forms. The page loads nothing from any address.
 */
export const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1a2029, #e7eaef); --soft: light-dark(#545e6c, #a6afbc); --line: light-dark(#dde1e7, #2c323c); --edge: light-dark(#7f8998, #707a88) }
:root { --paper: light-dark(#ffffff, #14171c); --back: light-dark(#f5f6f8, #0f1216); --well: light-dark(#eef0f4, #232832); --accent: light-dark(#2457c5, #8fb3ff); --on-accent: light-dark(#ffffff, #0e1420) }
:root { --tint: var(--accent) }
${tints}
* { box-sizing: border-box }
html { scroll-behavior: smooth }
body { margin: 0; font: 15px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; color: var(--ink); background: var(--back) }
header, main { padding: 1.25rem 1.5rem }
main { padding-top: 0 }
.narrow { max-width: 36rem; margin: 0 auto; padding-top: 2.5rem }
h1 { font-size: 1.5rem; margin: 0; letter-spacing: -.01em }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; scroll-margin-top: 1rem }
h3 { font-size: 1.02rem; line-height: 1.35; margin: 0 0 .3rem; overflow-wrap: anywhere }
small, .soft { color: var(--soft); font-weight: normal }
a { color: var(--accent); text-decoration-thickness: 1px; text-underline-offset: 2px }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
h2::before, .chip::before { content: ""; display: inline-block; width: .7em; height: .7em; margin-right: .5em; border-radius: 50%; background: var(--tint) }
nav { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem }
.chip { display: inline-block; padding: .15rem .75rem; border: 1px solid var(--line); border-radius: 99px; background: var(--paper) }
.chip { color: var(--ink); font-size: .87rem; text-decoration: none }
.networks, .grid { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); align-items: start }
.networks { gap: 1.75rem 1.25rem; grid-auto-flow: dense }
.network { min-width: 0 }
.network.row { grid-column: 1 / -1 }
@media (min-width: 44rem) { .network.two { grid-column: span 2 } }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 14px; padding: 1rem 1.1rem; box-shadow: 0 1px 2px rgb(0 0 0 / 5%); min-width: 0 }
.who { display: flex; gap: .75rem; align-items: center }
.who img { width: 2.75rem; height: 2.75rem; border-radius: 50%; padding: 2px; border: 2px solid var(--tint) }
.who div { min-width: 0 }
.who strong, .who small { display: block; line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
.who .chip { margin-left: auto; flex: none }
article { border-top: 1px solid var(--line); margin-top: .9rem; padding-top: .9rem }
article p { margin: 0 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
article footer { display: flex; gap: .6rem; justify-content: space-between; align-items: baseline; font-size: .87rem }
article footer a { color: var(--soft) }
figure { margin: 0; min-width: 0 }
figcaption { color: var(--soft); font-size: .8rem; line-height: 1.35; padding: .25rem .1rem 0; overflow-wrap: anywhere }
figcaption b { font-size: .68rem; letter-spacing: .04em; border: 1px solid var(--line); border-radius: 4px; padding: 0 .3em; margin-right: .35em }
.media { display: grid; gap: .5rem; margin: .2rem 0 .6rem }
.media img, .media video { display: block; width: 100%; max-height: 34rem; object-fit: contain; background: var(--well); border-radius: 10px }
.several { grid-template-columns: 1fr 1fr }
.several img, .several video { aspect-ratio: 1 }
.several.brief img, .several.brief video { object-fit: cover }
.several > :first-child:nth-last-child(odd) { grid-column: 1 / -1 }
.several > :first-child:nth-last-child(odd) :is(img, video) { aspect-ratio: 16 / 9 }
.brief figcaption { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden }
.file, .more { display: grid; place-content: center; text-align: center; min-height: 6rem; padding: .8rem; background: var(--well); border-radius: 10px; color: var(--soft) }
.link { display: grid; padding: .5rem .8rem; background: var(--well); border-radius: 10px; white-space: normal }
.options, .comments { list-style: none; margin: .3rem 0 .5rem; padding: 0; font-size: .87rem; overflow-wrap: anywhere }
.options { display: flex; flex-wrap: wrap; gap: .35rem; color: var(--soft) }
.options li { padding: 0 .6rem; border: 1px solid var(--line); border-radius: 99px }
.comments li { padding: .35rem .8rem; margin-top: .35rem; background: var(--well); border-radius: 10px; white-space: pre-wrap }
.comments time { display: block; color: var(--soft); font-size: .8rem }
.stories { margin-top: .9rem }
.stories ul { display: flex; gap: .6rem; list-style: none; margin: .35rem 0 0; padding: 0 0 .4rem; overflow-x: auto; scroll-snap-type: x proximity }
.stories li { flex: none; width: 7.5rem; scroll-snap-align: start; font-size: .8rem }
.stories .media { margin: 0 0 .2rem }
.stories img, .stories video { aspect-ratio: 9 / 16; object-fit: cover; border: 2px solid var(--paper); outline: 2px solid var(--tint); margin: 2px; width: calc(100% - 4px) }
.stories a { color: var(--soft) }
details { margin-top: .8rem; font-size: .85rem; color: var(--soft) }
dl { margin: .5rem 0 0; display: grid; grid-template-columns: auto 1fr; gap: .2rem .9rem }
dd { margin: 0; overflow-wrap: anywhere }
pre { margin: .5rem 0; max-height: 28rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; color: var(--ink); font-size: .8rem }
label { display: block; margin: .8rem 0 }
input, select { display: block; width: 100%; padding: .45rem; font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: 6px }
button { padding: .5rem 1.1rem; font: inherit; border-radius: 6px }
.primary { background: var(--accent); color: var(--on-accent); border: 0 }`;
