import type { ReactNode } from 'react';
import { Tab, TabList, TabPanel, Tabs as AriaTabs } from 'react-aria-components';
import './tabs.css';

export interface TabContent {
  readonly id: string;
  readonly name: ReactNode;
  readonly content: ReactNode;
}

export interface TabsProps {
  /** What the tabs are of. */
  readonly label: string;
  readonly tabs: readonly TabContent[];
  /** Id of the one that is shown; absent: the part remembers it. */
  readonly selected?: string;
  readonly onSelect?: (id: string) => void;
}

/** Several views of one thing, one at a time. */
export function Tabs({ label, tabs, selected, onSelect }: TabsProps) {
  return (
    <AriaTabs
      className="tabs"
      {...(selected === undefined ? {} : { selectedKey: selected })}
      {...(onSelect === undefined ? {} : { onSelectionChange: (key) => onSelect(String(key)) })}
    >
      <TabList className="tab-list" aria-label={label}>
        {tabs.map(({ id, name }) => (
          <Tab key={id} id={id} className="tab">
            {name}
          </Tab>
        ))}
      </TabList>
      {tabs.map(({ id, content }) => (
        <TabPanel key={id} id={id} className="tab-panel">
          {content}
        </TabPanel>
      ))}
    </AriaTabs>
  );
}
