import type { Page } from 'playwright-core';
import type { Agency } from './agency.ts';
import { drawn } from './scenes.ts';

export interface ShownPage {
  /** Also of its files. */
  readonly name: string;
  readonly path: (agency: Agency) => string;
  /** Brings the page to what is worth a look, once it is there. */
  readonly prepare?: (page: Page, agency: Agency) => Promise<void>;
  /** Whether it is seen by who is signed out. */
  readonly isPublic?: boolean;
}

const app = (path: string) => () => `/app/${path}`;
const postOf = ({ posts }: Agency, fate: string): string => [...posts].find(([, planned]) => planned.fate === fate)![0];

/** Every page of the app, and those beside it. */
export const PAGES: readonly ShownPage[] = [
  { name: 'calendar-week', path: app('calendar?view=week') },
  { name: 'calendar-month', path: app('calendar?view=month') },
  { name: 'calendar-day', path: app('calendar?view=day') },
  { name: 'calendar-list', path: app('calendar?view=list') },
  {
    name: 'post-beside-calendar',
    path: app('calendar?view=week'),
    prepare: async (page) => {
      await page.getByRole('link', { name: /^Tuesday is for the slow bar/ }).click();
      await page.getByRole('complementary').getByText('Tuesday is for the slow bar').first().waitFor();
    },
  },
  { name: 'post', path: (agency) => `/app/posts/${postOf(agency, 'refused')}` },
  { name: 'compose', path: app('compose'), prepare: writePost },
  { name: 'import', path: app('compose/import'), prepare: openFile },
  { name: 'channels', path: app('channels') },
  { name: 'keys', path: app('keys') },
  { name: 'apps', path: app('apps') },
  { name: 'webhooks', path: app('webhooks') },
  { name: 'members', path: app('members') },
  { name: 'usage', path: app('usage') },
  { name: 'audit', path: app('audit') },
  { name: 'settings', path: app('settings') },
  { name: 'sign-in', path: () => '/sign-in', isPublic: true },
  { name: 'account', path: () => '/account' },
  { name: 'developers', path: () => '/developers', isPublic: true },
];

async function writePost(page: Page): Promise<void> {
  for (const network of ['Instagram', 'X'])
    await page.getByRole('group', { name: network, exact: true }).getByText('Nordlicht Coffee').click();
  const text = 'Rain again, so the window seats are yours. Filter of the week: Huila, washed, a little like plums.';
  await page.getByRole('textbox', { name: 'Text', exact: true }).fill(text);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose files' }).click(),
  ]);
  const buffer = await drawn('window', { width: 1080, height: 1350 });
  await chooser.setFiles({ name: 'window-seat.jpg', mimeType: 'image/jpeg', buffer });
  await page.getByRole('button', { name: 'Remove window-seat.jpg' }).waitFor();
  await page.getByRole('textbox', { name: /alt text/ }).fill('A window with a view of hills');
  await page.getByText('Nothing stands against it.').waitFor();
}

async function openFile(page: Page, { month }: Agency): Promise<void> {
  const rows = [
    'text,channels,scheduled at',
    ...['Monday begins slowly', 'Two bags one price', 'Meet the roaster', 'Window seats', 'Friday beans'].map(
      (text, index) => `${text},facebook:Nordlicht Coffee,${month}-${22 + index} 09:00`,
    ),
    `Tickets at the desk,threads:Hafen Books,${month}-23 12:00`,
    `A reading tonight,Hafen Boks,${month}-24 12:00`,
    ...['Poems', 'Maps', 'Letters', 'Diaries'].map(
      (text, index) => `Sunday reading: ${text},threads:Hafen Books,${month}-${25 + index} 11:00`,
    ),
  ];
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose a CSV file' }).click(),
  ]);
  const buffer = Buffer.from(rows.join('\n'));
  await chooser.setFiles({ name: 'second-half-of-march.csv', mimeType: 'text/csv', buffer });
  await page.getByText(/ready, \d+ to put right\./).waitFor();
}
