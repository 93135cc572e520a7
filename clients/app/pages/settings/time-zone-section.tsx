import { Section } from '../../parts/section.tsx';
import { Select } from '../../parts/select.tsx';
import { absoluteWords } from '../../parts/time-words.ts';
import { usePreference } from '../../preferences/use-preference.ts';
import { ownTimeZone, timeZoneChoices } from '../../preferences/time-zone.ts';
import { WEEK_START, WEEK_STARTS } from '../../preferences/week-start.ts';
import { useNow } from '../../workspace/clock.ts';
import { useWorkspace } from '../../workspace/workspace.ts';
import { useChange } from '../access/use-change.ts';
import { isolating } from '../../parts/isolating.ts';

/** The zone of the Workspace, which owners choose for all, and the first day of the week, which each person chooses. */
export function TimeZoneSection() {
  const { role } = useWorkspace();
  const [weekStart, setWeekStart] = usePreference(WEEK_START);
  return (
    <Section title="Times">
      {role === 'owner' ? <ZoneField /> : <ZoneWords />}
      <OwnZone />
      <Select
        label="Weeks begin on"
        note="For you, in this browser."
        choices={WEEK_STARTS}
        value={weekStart}
        onChange={setWeekStart}
      />
    </Section>
  );
}

function ZoneField() {
  const { id: workspaceId, name, ownZone } = useWorkspace();
  const here = ownTimeZone();
  const setZone = useChange((to) => to.workspaces.setZone, {
    refresh: [(from) => from.session.get, (from) => from.workspaces.list],
    said: ({ timeZone }) => `${name} plans in ${timeZone} now. No Post moved.`,
  });
  const chosen = setZone.isPending ? setZone.variables.timeZone : ownZone;
  return (
    <Select
      label={isolating`Time zone of ${name}`}
      note="Every Member sees the calendar and Posts in it. Posts keep their instants. Type the first letters of a zone to find it."
      placeholder="None yet: each Member sees their own"
      value={chosen}
      onChange={(timeZone) => setZone.mutate({ workspaceId, timeZone })}
      isDisabled={setZone.isPending}
      choices={timeZoneChoices(...(chosen === null ? [] : [chosen]), here).map((zone) => ({
        value: zone,
        name: zone,
        ...(zone === here && { note: 'Of this computer' }),
      }))}
    />
  );
}

function ZoneWords() {
  const { name, ownZone } = useWorkspace();
  return (
    <p>
      {ownZone === null ? (
        <>{name} has no time zone yet: each Member sees times in their own.</>
      ) : (
        <>
          {name} plans in <strong>{ownZone}</strong>.
        </>
      )}{' '}
      <span className="soft">An owner can change it.</span>
    </p>
  );
}

/** The viewer's own zone beside that of the Workspace, where the two show different times. */
function OwnZone() {
  const { timeZone } = useWorkspace();
  const now = useNow();
  const here = ownTimeZone();
  const [there, own] = [absoluteWords(now, timeZone), absoluteWords(now, here)];
  return (
    <p>
      {there === own ? (
        <>
          Your computer is in {here} and shows the same times: now it is {own}.
        </>
      ) : (
        <>
          Your computer is in {here}: now it is {own} there, and {there} in {timeZone}. Where the two differ, the
          calendar shows both.
        </>
      )}
    </p>
  );
}
