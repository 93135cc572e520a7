import { RadioGroup } from '../../parts/radio-group.tsx';
import { Section } from '../../parts/section.tsx';
import { Switch } from '../../parts/switch.tsx';
import { usePreference } from '../../preferences/use-preference.ts';
import { SINGLE_KEYS } from '../../preferences/single-keys.ts';
import { THEME } from '../../preferences/theme.ts';

/** Kept in this browser only. */
export function LookSection() {
  const [theme, setTheme] = usePreference(THEME);
  const [singleKeys, setSingleKeys] = usePreference(SINGLE_KEYS);
  return (
    <Section title="This browser">
      <RadioGroup
        label="Theme"
        value={theme}
        onChange={setTheme}
        choices={[
          { value: 'system', name: 'As the system has it' },
          { value: 'light', name: 'Light' },
          { value: 'dark', name: 'Dark' },
        ]}
      />
      <Switch
        isSelected={singleKeys === 'on'}
        onChange={(isOn) => setSingleKeys(isOn ? 'on' : 'off')}
        note="Switch them off if you speak to your computer or hit keys by accident. Keys with Ctrl or Cmd stay."
      >
        Shortcuts of single keys
      </Switch>
    </Section>
  );
}
