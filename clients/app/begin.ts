import { APP_PATH } from './address/app-path.ts';
import { parseSearch, textOf, writeSearch } from './address/search.ts';
import { beginFirstWeek } from './pages/calendar/cards/first-week.ts';
import { openNewBuildWhenFilesAreGone } from './start/new-build.ts';
import { pageSession } from './start/page-session.ts';
import { ownWorkspace } from './workspace/own-workspace.ts';

// What takes long is begun here, before the scripts that draw pages are there: they are ten times as large.
openNewBuildWhenFilesAreGone();
begin();
void import('./main.tsx');

function begin(): void {
  const session = pageSession();
  if (session === null) return;
  const { pathname, search, hash } = window.location;
  const asked = parseSearch(search);
  const own = ownWorkspace(session, textOf(asked, 'workspace'));
  if (own === undefined || ![APP_PATH, `${APP_PATH}/`, `${APP_PATH}/calendar`].includes(pathname)) return;
  // An address names its Workspace, to be sent to a colleague. Later on, the router would draw all of it again.
  if (pathname.endsWith('/calendar'))
    window.history.replaceState(null, '', pathname + writeSearch({ ...asked, workspace: own.id }) + hash);
  beginFirstWeek(own, Date.parse(session.now), search);
  void import('./pages/calendar/calendar-page.tsx');
}
