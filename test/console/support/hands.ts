// Two ways to use a page: by mouse, and by keyboard alone. Each finds a control by the name that a screen reader tells.
import type { Page } from 'playwright-core';

/** What a person does at a page. `within` is a selector, where several have the name. */
export interface Hands {
  press(page: Page, name: RegExp, within?: string): Promise<void>;
  choose(page: Page, label: RegExp): Promise<void>;
  write(page: Page, label: RegExp, text: string, within?: string): Promise<void>;
  /** Opens the row of a table that has this name. */
  row(page: Page, name: RegExp): Promise<void>;
}

const rowOf = (page: Page, name: RegExp) => page.locator('main a[data-row]').filter({ hasText: name }).first();

/** By mouse; text is typed all the same. */
export const byMouse: Hands = {
  async press(page, name, within = 'body') {
    const place = page.locator(within);
    await place.getByRole('button', { name }).or(place.getByRole('link', { name })).first().click();
  },
  async choose(page, label) {
    await page
      .getByRole('radio', { name: label })
      .or(page.getByRole('checkbox', { name: label }))
      .click();
  },
  async write(page, label, text, within = 'dialog.act') {
    await page.locator(within).getByLabel(label).click();
    await page.keyboard.type(text);
  },
  row: async (page, name) => rowOf(page, name).click(),
};

const controlsAtMost = 200;

/** The name of what has the focus, if it is within; a label's text for a field. */
const focused = (page: Page, within: string): Promise<string> =>
  page.evaluate(`(() => {
    const it = document.activeElement;
    const place = it.closest(${JSON.stringify(within)});
    return place && it.matches('a, button, input, textarea, select, summary') ? (it.labels?.[0] ?? it).textContent.trim() : '';
  })()`);

/** True at a radio button behind which others of its group stand. */
const inUnchosenGroup = (page: Page): Promise<boolean> =>
  page.evaluate(`(() => {
    const it = document.activeElement;
    return it?.type === 'radio' && [...document.getElementsByName(it.name)].at(-1) !== it;
  })()`);

async function tabTo(page: Page, name: RegExp, within = 'body'): Promise<void> {
  for (let at = 0; at < controlsAtMost; at += 1) {
    if (name.test(await focused(page, within))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`nothing called ${name} is reached by Tab in ${within}`);
}

/** By keyboard alone. */
export const byKeyboard: Hands = {
  async press(page, name, within) {
    await tabTo(page, name, within);
    await page.keyboard.press('Enter');
  },
  async choose(page, label) {
    // Of a group of radio buttons Tab reaches one; the arrows choose among them.
    for (let at = 0; at < controlsAtMost; at += 1) {
      if (label.test(await focused(page, 'body'))) return page.keyboard.press('Space');
      await page.keyboard.press((await inUnchosenGroup(page)) ? 'ArrowDown' : 'Tab');
    }
    throw new Error(`nothing called ${label} is reached by Tab and arrows`);
  },
  async write(page, label, text, within = 'dialog.act') {
    await tabTo(page, label, within);
    await page.keyboard.type(text);
  },
  async row(page, name) {
    await rowOf(page, name).waitFor();
    for (let at = 0; at < controlsAtMost; at += 1) {
      await page.keyboard.press('j');
      if (name.test(await focused(page, 'main'))) return page.keyboard.press('Enter');
    }
    throw new Error(`no row called ${name} is reached by j`);
  },
};
