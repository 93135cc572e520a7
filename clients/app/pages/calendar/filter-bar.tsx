import { memo, useMemo } from 'react';
import { Menu, MenuItem, MenuTrigger, Popover, type Selection } from 'react-aria-components';
import { Button } from '../../parts/button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { networkName } from '../../parts/network-mark.tsx';
import { statusWord, type ShownStatus } from '../../parts/status-mark.tsx';
import { useServerQuery } from '../../server/queries.ts';
import type { ListedChannel } from '../channels/listed-channel.ts';
import { hasFilters, viaValue, type CardFilters } from './cards/card-filters.ts';
import type { PlacedCard } from './cards/placed-card.ts';
import '../../parts/popover.css';

export interface FilterBarProps {
  readonly workspaceId: string;
  readonly filters: CardFilters;
  readonly onChange: (filters: CardFilters) => void;
  /** All that is shown without filters: what made those Posts can be chosen. */
  readonly all: readonly PlacedCard[];
}

interface Choice {
  readonly value: string;
  readonly name: string;
}

const STATUSES: readonly ShownStatus[] = ['scheduled', 'publishing', 'published', 'failed', 'unconfirmed', 'cancelled'];

/** Which Posts are shown: by Channel, Network, status and what made them. The address keeps it. */
export function FilterBar({ workspaceId, filters, onChange, all }: FilterBarProps) {
  const { data } = useServerQuery((from) => from.channels.list, { workspaceId });
  const found = useMemo(() => viaChoices(all), [all]);
  // The same list while it says the same: most Posts that come or change bring no new one.
  const vias = useMemo(() => found, [JSON.stringify(found)]);
  return <FilterMenus channels={data?.channels ?? NO_CHANNELS} {...{ vias, filters, onChange }} />;
}

const NO_CHANNELS: readonly FilteredChannel[] = [];

type FilteredChannel = Pick<ListedChannel, 'id' | 'name' | 'network'>;

interface FilterMenusProps extends Pick<FilterBarProps, 'filters' | 'onChange'> {
  readonly channels: readonly FilteredChannel[];
  readonly vias: readonly Choice[];
}

const FilterMenus = memo(function FilterMenus({ channels, vias, filters, onChange }: FilterMenusProps) {
  const networks = [...new Set(channels.map(({ network }) => network))];
  return (
    <div className="calendar-filters" role="group" aria-label="Filters" data-filter="">
      <FilterMenu
        label="Channels"
        choices={channels.map(({ id, name, network }) => ({ value: id, name: `${name} (${networkName(network)})` }))}
        chosen={filters.channel}
        onChange={(channel) => onChange({ ...filters, channel: channel! })}
      />
      <FilterMenu
        label="Networks"
        choices={networks.map((network) => ({ value: network, name: networkName(network) }))}
        chosen={filters.network}
        onChange={(network) => onChange({ ...filters, network: network! })}
      />
      <FilterMenu
        label="Status"
        choices={STATUSES.map((status) => ({ value: status, name: statusWord(status) }))}
        chosen={filters.status}
        onChange={(status) => onChange({ ...filters, status: status! })}
      />
      <FilterMenu
        label="Made by"
        choices={vias}
        chosen={filters.via}
        onChange={(via) => onChange({ ...filters, via: via! })}
      />
      {hasFilters(filters) ? (
        <Button look="quiet" icon="cross" onPress={() => onChange({})}>
          Clear filters
        </Button>
      ) : null}
    </div>
  );
});

function viaChoices(all: readonly PlacedCard[]): readonly Choice[] {
  const names = new Map<string, string>([['hand', 'A Member, by hand']]);
  // Most of thousands have the same object.
  const vias = new Set(all.map(({ card }) => card.via));
  for (const via of vias)
    if (via !== null) names.set(viaValue(via), `${via.kind === 'key' ? 'Key' : 'App'} ${via.name}`);
  return [...names].map(([value, name]) => ({ value, name }));
}

interface FilterMenuProps {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[] | undefined;
  /** Undefined: nothing is chosen, so that everything is shown. */
  readonly onChange: (chosen: readonly string[] | undefined) => void;
}

function FilterMenu({ label, choices, chosen = [], onChange }: FilterMenuProps) {
  const select = (selection: Selection): void => {
    const values = selection === 'all' ? choices.map(({ value }) => value) : [...selection].map(String);
    onChange(values.length === 0 ? undefined : values);
  };
  return (
    <MenuTrigger>
      <Button look={chosen.length === 0 ? 'quiet' : 'plain'} icon="down">
        {chosen.length === 0 ? label : `${label}: ${chosenWords(choices, chosen)}`}
      </Button>
      <Popover className="popover">
        <Menu
          className="popover-list"
          aria-label={label}
          selectionMode="multiple"
          selectedKeys={chosen}
          onSelectionChange={select}
          renderEmptyState={() => <p className="popover-heading">There is nothing to choose yet.</p>}
        >
          {choices.map(({ value, name }) => (
            <MenuItem key={value} id={value} textValue={name} className="popover-item popover-item-row filter-choice">
              <Icon name="check" />
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function chosenWords(choices: readonly Choice[], chosen: readonly string[]): string {
  if (chosen.length > 1) return `${chosen.length} chosen`;
  return choices.find(({ value }) => value === chosen[0])?.name ?? chosen[0]!;
}
