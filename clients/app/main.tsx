import './start/react.ts';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './app.css';
import { keepFocus } from './frame/lost-focus.ts';
import { whenFirstWeekCame } from './pages/calendar/cards/first-week.ts';
import { forbidHtmlFromText } from './start/trusted-types.ts';
import { pageHeardAt, pageSession } from './start/page-session.ts';
import { applyTheme } from './preferences/theme.ts';
import { router } from './routes.tsx';
import { queryClient, serverKey } from './server/queries.ts';

/** A person sees nothing for as long. */
const WEEK_PATIENCE_MS = 150;

forbidHtmlFromText();
applyTheme();
keepFocus();
const session = pageSession();
if (session !== null)
  queryClient.setQueryData(
    serverKey((from) => from.session.get),
    session,
    { updatedAt: pageHeardAt() },
  );

// A calendar that is drawn empty, for a moment, is drawn twice.
void whenFirstWeekCame(WEEK_PATIENCE_MS).then(draw);

function draw(): void {
  createRoot(document.getElementById('app')!).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </StrictMode>,
  );
}
