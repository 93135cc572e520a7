import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { keepText } from '../preferences/preference.ts';
import { useKeptText } from '../preferences/use-preference.ts';
import { useServerQuery } from '../server/queries.ts';
import { serverNow } from '../workspace/clock.ts';
import { useWorkspace } from '../workspace/workspace.ts';
import './bands.css';
import { seenFailuresName, seenText, unseenFailures, type FailuresOfPost } from './seen-failures.ts';

const WEEK_MS = 7 * 86_400_000;
const HOUR_MS = 3_600_000;

export interface NeedsMeProps {
  /** False: the page still reads what it is about, which comes first. */
  readonly isReady: boolean;
}

/**
 * What needs a person: Channels to connect again, and Variants that failed in the last week since the person looked.
 * Nothing at all where nothing does.
 */
export function NeedsMe({ isReady }: NeedsMeProps) {
  const workspace = useWorkspace();
  const seenName = seenFailuresName(workspace.id);
  const seen = useKeptText(seenName);
  const broken = useBrokenChannels(workspace.id);
  const failed = useFailures(workspace.id, isReady);
  const failures = useMemo(() => unseenFailures(failed, seen), [failed, seen]);
  if (broken === 0 && failures === 0) return null;
  return (
    <ul className="needs-me" aria-label="What needs you">
      {broken === 0 ? null : (
        <li>
          <Icon name="plug" />
          <Link to="/channels">{broken === 1 ? '1 Channel has' : `${broken} Channels have`} to be connected again</Link>
        </li>
      )}
      {failures === 0 ? null : (
        <li>
          <Icon name="alert" />
          <Link to="/calendar" search={{ view: 'list', status: ['failed', 'unconfirmed'] }}>
            {failures} failed since you looked
          </Link>
          <Button look="quiet" onPress={() => keepText(seenName, seenText(failed))}>
            I have seen them
          </Button>
        </li>
      )}
    </ul>
  );
}

function useBrokenChannels(workspaceId: string): number {
  const { data } = useServerQuery((from) => from.channels.list, { workspaceId });
  return data?.channels.filter(({ state }) => state === 'needs_reconnect').length ?? 0;
}

/** Posts of the last week of which Variants failed. */
function useFailures(workspaceId: string, isEnabled: boolean): readonly FailuresOfPost[] {
  // To the hour, so that the question stays the same while the page is open.
  const now = Math.ceil(serverNow() / HOUR_MS) * HOUR_MS;
  const from = new Date(now - WEEK_MS).toISOString();
  const to = new Date(now).toISOString();
  const { data } = useServerQuery((server) => server.posts.failures, { workspaceId, from, to }, { enabled: isEnabled });
  return data ?? NONE;
}

const NONE: readonly FailuresOfPost[] = [];
