import type { FileChooser, Locator, Page } from 'playwright-core';
import { until } from './until.ts';

/** How a person works with a page. Whatever is named has to be there, or to come, and is what readers call it. */
export interface Hands {
  readonly page: Page;
  /** Opens a page of the app that the rail names. */
  goTo(name: string): Promise<void>;
  /** Presses a button, or follows a link. */
  press(control: Locator): Promise<void>;
  /** Ticks a box, or takes one of several radio buttons. */
  choose(control: Locator): Promise<void>;
  /** Takes one of several tabs. */
  open(tab: Locator): Promise<void>;
  /** Takes an entry of a list that this button opens. */
  pick(button: Locator, entry: Locator): Promise<void>;
  /** Replaces what is in a field. Dates and times are written as in 2026-11-24 and 09:00. */
  write(field: Locator, text: string): Promise<void>;
  /** Chooses files in the dialog that this button opens. */
  attach(button: Locator, files: Parameters<FileChooser['setFiles']>[0]): Promise<void>;
}

/** Points and clicks. */
export function mouse(page: Page): Hands {
  const press = (control: Locator) => control.click();
  return {
    page,
    goTo: (name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click(),
    press,
    // What is seen of a box is its label; the box itself is hidden from the eye.
    choose: (control) => page.locator('label').filter({ has: control }).click(),
    open: press,
    async pick(button, entry) {
      await button.click();
      await entry.click();
    },
    write: (field, text) => field.fill(text),
    async attach(button, files) {
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button.click()]);
      await chooser.setFiles(files);
    },
  };
}

/** More stops than the longest page has. */
const MOST_STOPS = 250;

/**
 * Types. The focus is where the page has put it, and moves only by Tab, arrows and the keys of the app: a control that
 * these do not reach is not used, and the step fails.
 */
export function keyboard(page: Page): Hands {
  const { press: key, type } = page.keyboard;
  const typed = type.bind(page.keyboard);
  const pressed = key.bind(page.keyboard);

  /** Whether the focus is there; as long as the page is drawn anew, it is not. */
  const hasFocus = (control: Locator) => control.evaluate((element) => element.matches(':focus'));

  /** A page that was acted on has the focus somewhere: it is not lost with a button that did its work and has gone. */
  let isFresh = true;
  page.on('domcontentloaded', () => (isFresh = true));
  async function keepsPlace(control: Locator): Promise<void> {
    if (!isFresh)
      await until(() => page.evaluate('document.activeElement !== document.body'), {
        what: `the focus is somewhere on the page, on the way to ${String(control)}`,
      });
    isFresh = false;
  }

  async function reach(control: Locator, keys: { readonly on: string; readonly back: string } = TAB): Promise<void> {
    await control.waitFor({ state: 'attached' });
    if (keys === TAB) await keepsPlace(control);
    for (let stops = 0; stops < MOST_STOPS; stops++) {
      if (await hasFocus(control)) return;
      await pressed((await isBefore(control)) ? keys.back : keys.on);
    }
    throw new Error(`the keyboard never came to ${String(control)}`);
  }

  /** Comes to one of a group that has a single stop, then to this one of it. */
  async function reachInGroup(control: Locator, group: string, item: string): Promise<void> {
    const all = page.locator(group).filter({ has: control }).locator(item);
    await control.waitFor({ state: 'attached' });
    await keepsPlace(control);
    for (let stops = 0; stops < MOST_STOPS && !(await focusIsIn(all)); stops++)
      await pressed((await isBefore(control)) ? TAB.back : TAB.on);
    await reach(control, { on: 'ArrowRight', back: 'ArrowLeft' });
  }

  return {
    page,
    async goTo(name) {
      await pressed('Control+k');
      const menu = page.getByRole('dialog', { name: 'Command menu' });
      await menu.getByRole('menuitem').first().waitFor();
      await typed(`Go to ${name}`);
      const entry = menu.getByRole('menuitem', { name: new RegExp(`^Go to ?${name}`) }).first();
      await until(
        () =>
          menu
            .getByRole('menuitem')
            .first()
            .innerText()
            .then((words) => words.includes(name)),
        {
          what: `${name} first in the command menu`,
        },
      );
      await pressed('ArrowDown');
      await entry.waitFor();
      await pressed('Enter');
      await menu.waitFor({ state: 'detached' });
    },
    async press(control) {
      await reach(control);
      // A button that waits for the server takes no key.
      await until(() => control.isEnabled(), { what: `${String(control)} takes keys` });
      await pressed('Enter');
    },
    async choose(control) {
      const isRadio = (await control.getAttribute('type')) === 'radio';
      if (isRadio) await reachInGroup(control, '[role=radiogroup]', 'input');
      else await reach(control);
      if (!(await control.isChecked())) await pressed('Space');
    },
    open: (tab) => reachInGroup(tab, '[role=tablist]', '[role=tab]'),
    async pick(button, entry) {
      await reach(button);
      await pressed('Enter');
      await reach(entry, { on: 'ArrowDown', back: 'ArrowUp' });
      await pressed('Enter');
    },
    async write(field, text) {
      await reach(field);
      const kind = await field.getAttribute('type');
      if (kind === 'date') return typed(dateDigits(text));
      if (kind === 'time') return typed(timeLetters(text));
      await pressed('Control+a');
      await typed(text);
    },
    async attach(button, files) {
      await reach(button);
      const [chooser] = await Promise.all([page.waitForEvent('filechooser'), pressed('Enter')]);
      await chooser.setFiles(files);
    },
  };
}

const TAB = { on: 'Tab', back: 'Shift+Tab' };

/** As the parts of a date follow each other in a field of a browser in American English: `11242026`. */
function dateDigits(date: string): string {
  const [year, month, day] = date.split('-');
  return `${month}${day}${year}`;
}

/** `0900AM` */
function timeLetters(time: string): string {
  const [hour, minute] = time.split(':');
  const hours = Number(hour);
  return `${String(hours % 12 || 12).padStart(2, '0')}${minute}${hours < 12 ? 'AM' : 'PM'}`;
}

/** Node.DOCUMENT_POSITION_FOLLOWING */
const FOLLOWS = 4;

/** Whether the control stands before what has the focus, so that the way to it is back. */
function isBefore(control: Locator): Promise<boolean> {
  return control.evaluate((element, follows) => {
    const { activeElement, body } = element.ownerDocument;
    if (activeElement === null || activeElement === body) return false;
    return (element.compareDocumentPosition(activeElement) & follows) !== 0;
  }, FOLLOWS);
}

function focusIsIn(items: Locator): Promise<boolean> {
  return items.evaluateAll((elements) => elements.some((element) => element.matches(':focus')));
}
