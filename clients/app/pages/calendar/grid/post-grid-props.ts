import type { CardLook } from '../cards/post-card.tsx';
import type { GridCell, GridModel } from './grid-model.ts';

export interface PostGridActions {
  readonly onOpen: (postId: string) => void;
  readonly onMore: (cell: GridCell) => void;
  /** A new Post in an empty slot. */
  readonly onCompose: (cell: GridCell) => void;
  readonly onDrop: (postId: string, cell: GridCell) => void;
  /** `beside`: where the menu is to open. */
  readonly onMenu: (postId: string, beside: Element) => void;
  /** PageUp and PageDown. */
  readonly onStep: (direction: 1 | -1) => void;
}

export interface PostGridProps extends PostGridActions {
  /** For readers: what the grid shows. */
  readonly label: string;
  /** Grids with the same id are scrolled to the same place, such as one week after the other. */
  readonly viewId: string;
  readonly model: GridModel;
  readonly look: CardLook;
  /** Posts that have room in a cell. */
  readonly capacity: number;
  /** rem. Rows are as high before their Posts have come: nothing moves when they do. */
  readonly rowHeight: number;
  readonly workspaceId: string;
  readonly canEdit: boolean;
  readonly isBusy: boolean;
  readonly now: number;
  /** The row that is at the top when the grid is first shown. */
  readonly firstRow: number;
}
