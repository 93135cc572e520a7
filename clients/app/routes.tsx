import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router';
import { APP_PATH } from './address/app-path.ts';
import { calendarSearchOf } from './address/calendar-search.ts';
import { composeSearchOf } from './address/compose-search.ts';
import { parseSearch, present, textOf, writeSearch, type AddressSearch } from './address/search.ts';
import { BrokenPage } from './frame/broken-page.tsx';
import { Frame } from './frame/frame.tsx';
import { NotFoundPage } from './frame/not-found-page.tsx';

const rootRoute = createRootRoute({
  component: Frame,
  notFoundComponent: NotFoundPage,
  errorComponent: BrokenPage,
  // Every address names the Workspace that it shows, so that it can be sent to a colleague.
  validateSearch: (search: AddressSearch) => present({ workspace: textOf(search, 'workspace') }),
  search: { middlewares: [retainSearchParams(['workspace'])] },
});

const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/calendar', replace: true });
  },
});

const calendarRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/calendar',
  validateSearch: calendarSearchOf,
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/calendar/calendar-page.tsx')).CalendarPage,
    }),
    'Page',
  ),
});

const postRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/posts/$postId',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/post/post-page.tsx')).PostPage,
    }),
    'Page',
  ),
});

const composeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compose',
  validateSearch: composeSearchOf,
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/compose/compose-page.tsx')).ComposePage,
    }),
    'Page',
  ),
});

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/compose/import',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/compose/import/import-page.tsx')).ImportPage,
    }),
    'Page',
  ),
});

const channelsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/channels',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/channels/channels-page.tsx')).ChannelsPage,
    }),
    'Page',
  ),
});

const keysRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/keys',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/keys/keys-page.tsx')).KeysPage,
    }),
    'Page',
  ),
});

const appsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/apps',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/apps/apps-page.tsx')).AppsPage,
    }),
    'Page',
  ),
});

const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/webhooks',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage,
    }),
    'Page',
  ),
});

const membersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/members',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/members/members-page.tsx')).MembersPage,
    }),
    'Page',
  ),
});

const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/usage',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/usage/usage-page.tsx')).UsagePage,
    }),
    'Page',
  ),
});

const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/audit',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/audit/audit-page.tsx')).AuditPage,
    }),
    'Page',
  ),
});

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  component: lazyRouteComponent(
    async () => ({
      Page: (await import('./pages/settings/settings-page.tsx')).SettingsPage,
    }),
    'Page',
  ),
});

/** The addresses of the app, all below /app. A page is loaded when somebody goes there, or is about to. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    homeRoute,
    calendarRoute,
    postRoute,
    composeRoute,
    importRoute,
    channelsRoute,
    keysRoute,
    appsRoute,
    webhooksRoute,
    membersRoute,
    usageRoute,
    auditRoute,
    settingsRoute,
  ]),
  basepath: APP_PATH,
  parseSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
