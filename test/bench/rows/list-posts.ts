import { fillBacklog } from '../backlog.ts';
import type { Bench } from '../bench.ts';
import { sendLoad } from '../load.ts';
import { median } from '../quantiles.ts';
import { target } from '../report.ts';
import { buildPopulation } from '../population.ts';

const DAY_MS = 86_400_000;
const PAGE = 100;
/** A year, in which an agency's 100,000 Posts accumulate; the small Workspace's 100 are of the last day. */
const DAYS_OF_MANY = 365;
const MOST = 1.2;

/** GET /api/posts, a page of 100, from a Workspace of 100 Posts and from one of many. */
export async function listPages(bench: Bench): Promise<void> {
  const { sizes, site } = bench;
  const installation = await site.install('lists');
  const first = await installation.start();
  const population = await buildPopulation(first, { workspaces: 2, channelsAWorkspace: 1, keysAWorkspace: 1 }).finally(
    () => first.stop(),
  );
  const [few, many] = population.workspaces as [(typeof population.workspaces)[0], (typeof population.workspaces)[0]];
  bench.say(`filling in ${PAGE} and ${sizes.listPosts} Posts`);
  const engine = await installation.open();
  const now = Date.now();
  const due = { writtenUntil: now, dueFrom: now + DAY_MS, dueUntil: now + 30 * DAY_MS };
  await fillBacklog(engine, { workspaceIds: [few.workspaceId], posts: PAGE, writtenFrom: now - DAY_MS / 2, ...due });
  await fillBacklog(engine, {
    workspaceIds: [many.workspaceId],
    posts: sizes.listPosts,
    writtenFrom: now - DAYS_OF_MANY * DAY_MS,
    ...due,
  });
  await engine.close();
  const server = await installation.start();
  try {
    const page = async (home: typeof few): Promise<number> => {
      const requests = { kind: 'get', path: `/api/posts?limit=${PAGE}`, key: home.keys[0]! } as const;
      return (
        await sendLoad({
          url: server.baseUrl,
          clients: 1,
          warmUp: { requests: sizes.listRequests },
          measured: { requests: sizes.listRequests },
          ratePerSecond: null,
          requests,
        })
      ).p50;
    };
    const measured: { few: number; many: number }[] = [];
    for (let round = 0; round < sizes.listRounds; round++) {
      bench.say(`reading pages, round ${round + 1}`);
      const manyFirst = round % 2 === 1 ? await page(many) : null;
      const ofFew = await page(few);
      measured.push({ few: ofFew, many: manyFirst ?? (await page(many)) });
    }
    const [small, large] = [median(measured.map((round) => round.few)), median(measured.map((round) => round.many))];
    const figures = { [`${PAGE} Posts ms`]: small, [`${sizes.listPosts} Posts ms`]: large, ratio: large / small };
    bench.add({
      group: 'list',
      what: `GET /api/posts, page of ${PAGE}, Workspace of ${PAGE} against ${sizes.listPosts}`,
      rateLimit: 0,
      figures,
      target: target(`ratio <= ${MOST}`, figures, { atMost: { ratio: MOST } }),
      how: `p50 of ${sizes.listRequests} after as many, medians of ${sizes.listRounds} rounds in turn; the many written over ${DAYS_OF_MANY} days, the few over half a day`,
    });
  } finally {
    await server.stop();
  }
}
