import sharp from 'sharp';

/** What is in a drawing of 1080 by 1080. */
const SCENES = {
  cup: `<rect width="1080" height="1080" fill="#f1e3d3"/><rect y="760" width="1080" height="320" fill="#b98b62"/>
    <ellipse cx="520" cy="800" rx="330" ry="60" fill="#8a6242"/><path d="M270 430h500v160c0 130-90 200-250 200s-250-70-250-200z" fill="#fffdf8"/>
    <path d="M770 480c120-10 130 170-20 180" fill="none" stroke="#fffdf8" stroke-width="46"/><ellipse cx="520" cy="430" rx="250" ry="56" fill="#5b3a26"/>
    <path d="M430 340c-40-60 40-90 0-160M560 340c-40-60 40-90 0-160" fill="none" stroke="#d9c3ab" stroke-width="24" stroke-linecap="round"/>`,
  beans: `<rect width="1080" height="1080" fill="#33231a"/>${[...Array(24).keys()]
    .map((index) => {
      const [x, y] = [140 + (index % 5) * 200 + (Math.floor(index / 5) % 2) * 70, 130 + Math.floor(index / 5) * 205];
      return `<g transform="translate(${x} ${y}) rotate(${(index * 53) % 180})"><ellipse rx="92" ry="62" fill="#7b4a2d"/><path d="M-88 0c60-34 110 34 176 0" fill="none" stroke="#2b1a12" stroke-width="12"/></g>`;
    })
    .join('')}`,
  lighthouse: `<rect width="1080" height="1080" fill="#fbd7a8"/><circle cx="820" cy="300" r="120" fill="#fff3d6"/><rect y="720" width="1080" height="360" fill="#2f6f8f"/>
    <path d="M0 780q135-50 270 0t270 0 270 0 270 0v300H0z" fill="#1f5674"/><path d="M300 880l60-520h140l60 520z" fill="#fffaf2"/>
    <path d="M343 520h174l16 130H328zM313 780h234l12 100H301z" fill="#c8452f"/><rect x="350" y="270" width="160" height="90" fill="#38434f"/><path d="M330 270h200l-100-90z" fill="#c8452f"/>`,
  books: `<rect width="1080" height="1080" fill="#dfe7e2"/><rect y="830" width="1080" height="250" fill="#8d6f57"/>
    ${['#2f5d62', '#d08c60', '#5e548e', '#c1533b', '#e0b84c', '#3f6c9b', '#87a878'].map((colour, index) => `<rect x="${150 + index * 112}" y="${330 + ((index * 67) % 130)}" width="96" height="${500 - ((index * 67) % 130)}" rx="8" fill="${colour}"/><rect x="${164 + index * 112}" y="${400 + ((index * 67) % 130)}" width="68" height="16" fill="#fff" opacity=".7"/>`).join('')}`,
  plant: `<rect width="1080" height="1080" fill="#f4f1e8"/><rect y="850" width="1080" height="230" fill="#dccfb8"/><path d="M360 660h360l-50 280H410z" fill="#c46f4b"/>
    <g fill="#3d7a56"><path d="M540 660C300 600 280 380 330 260c130 90 210 220 210 400z"/><path d="M540 660c240-60 260-280 210-400-130 90-210 220-210 400z"/><path d="M540 660c-90-180-80-380 0-520 80 140 90 340 0 520z" fill="#5a9c72"/></g>`,
  sale: `<rect width="1080" height="1080" fill="#24457a"/><circle cx="870" cy="210" r="330" fill="#f2b84b"/><circle cx="120" cy="930" r="260" fill="#d9553f"/>
    <text x="110" y="500" font-family="sans-serif" font-weight="700" font-size="170" fill="#fff">Spring</text><text x="110" y="680" font-family="sans-serif" font-weight="700" font-size="170" fill="#fff">weeks</text><text x="114" y="790" font-family="sans-serif" font-size="64" fill="#fff">15 to 29 March</text>`,
  people: `<rect width="1080" height="1080" fill="#e9d8e4"/><g><circle cx="330" cy="470" r="130" fill="#8d5b42"/><path d="M120 1080c0-300 90-440 210-440s210 140 210 440z" fill="#3c6e71"/></g>
    <g><circle cx="740" cy="400" r="140" fill="#f0c39c"/><path d="M500 1080c0-340 110-500 240-500s240 160 240 500z" fill="#d1603d"/></g><path d="M600 360c10-150 270-150 280 0 20-20 20 60 0 60-40-70-240-70-280 0z" fill="#42291d"/>`,
  window: `<rect width="1080" height="1080" fill="#5c4b51"/><rect x="150" y="120" width="780" height="840" rx="18" fill="#8cbeb2"/><circle cx="700" cy="350" r="110" fill="#f3b562"/>
    <path d="M150 760l230-240 190 190 130-130 230 230v150H150z" fill="#2f6b62"/><path d="M525 120h30v840h-30zM150 520h780v30H150z" fill="#f2ebbf"/>`,
} as const;

export type SceneName = keyof typeof SCENES;

/** A drawing as a JPEG of this shape, cut at the sides that are too long. */
export function drawn(name: SceneName, shape: { readonly width: number; readonly height: number }): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1080" height="1080" viewBox="0 0 1080 1080">${SCENES[name]}</svg>`;
  return sharp(Buffer.from(svg))
    .resize({ ...shape, fit: 'cover' })
    .jpeg({ quality: 88 })
    .toBuffer();
}
