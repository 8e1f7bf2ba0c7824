// The stages in a browser: their descriptions agree with the library, and links keep their choices.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Page } from "playwright-core";

import { short } from "../src/format.js";
import { PHONE, here, onPage, skip, startsBrowser, stepOf } from "./browser.js";
import { type Line, dump, listed } from "./recordings.js";

startsBrowser();

/** Opens a moment of a recording on a stage. No error may come meanwhile, and text is never markup. */
async function on(
  name: string,
  stage: string,
  at: number,
  act: (page: Page, step: number) => Promise<void>,
): Promise<void> {
  const recording = listed().find((one) => one.name === name);
  assert.ok(recording !== undefined, `${name} is published`);
  const options = { viewport: { width: 900, height: 700 } };
  const opened = async (page: Page): Promise<void> => {
    await page.goto(`${here.site.address}#r=${recording.id}&t=${at}&stage=${stage}`);
    await page.locator(".stage-body canvas").first().waitFor({ state: "attached" });
    await page.waitForFunction(() => /\d/.test(document.querySelector(".transport .step")?.textContent ?? ""));
    await act(page, await stepOf(page));
    // The stage works in every size and theme.
    await page.keyboard.press("t");
    await page.setViewportSize(PHONE);
    await page.waitForTimeout(300);
    await page.keyboard.press("Home");
    await page.waitForTimeout(100);
    assert.equal(await page.locator(".message").first().textContent(), "");
  };
  await onPage(options, opened, "no errors");
}

/** The description of the picture in words. */
async function words(page: Page): Promise<string> {
  await page.keyboard.press("d");
  const spoken = page.locator(".spoken");
  await page.waitForFunction(() => (document.querySelector(".spoken")?.textContent ?? "") !== "");
  return (await spoken.textContent()) ?? "";
}

function held(name: string, table: string, step: number): Line[] {
  return dump(name, "--state", "--table", table, "--at", `step:${step}`);
}

test("the board shows the squares, the cursor and the counters of the moment", { skip }, async () => {
  const name = "expert-win.rmv";
  await on(name, "board", 20_000, async (page, step) => {
    const squares = held(name, "board", step).map((line) => String(line["recorded"]));
    const [cursor] = held(name, "cursor", step);
    const [counters] = held(name, "counters", step);
    const open = squares.filter((square) => square.startsWith("open_")).length;
    const flags = squares.filter((square) => square === "flag").length;
    const said = await words(page);
    assert.ok(open > 0 && flags > 0);
    assert.ok(said.includes(`${open} cells open, ${flags} flags.`), said);
    assert.ok(said.includes(`on column ${String(cursor?.["col"])}, row ${String(cursor?.["row"])}.`), said);
    assert.ok(
      said.includes(`3BV ${String(counters?.["solved_bbbv"])}/`) &&
        said.includes(`${String(counters?.["clicks"])} clicks`),
      said,
    );
    assert.ok(!said.includes("part:"), said);
  });
});

test("the board says where the recording and the rules part", { skip }, async () => {
  await on("tampered-board-event.rmv", "board", 1200, async (page) => {
    const said = await words(page);
    assert.match(said, /The recording and the rules part: column 2, row 3 is recorded open, 2, by the rules open, 1\./);
  });
});

test("a field gives the exact value of a cell", { skip }, async () => {
  const name = "heat.murk";
  await on(name, "field", 12_000, async (page, step) => {
    await page.locator(".stage-bar select").first().selectOption("heat");
    // Before there is a picture, arrow keys go through the recording.
    await page.locator(".stage-status > span", { hasText: "Point at a cell" }).waitFor();
    await page.locator("canvas[tabindex]").focus();
    for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowRight"]) {
      await page.keyboard.press(key);
    }
    await page.waitForFunction(() =>
      document.querySelector(".stage-status > span")?.textContent?.startsWith("row 1, col 2:"),
    );
    const cell = held(name, "heat", step).find((line) => line["row"] === 1 && line["col"] === 2);
    assert.ok(cell !== undefined);
    // The first key goes to the first cell.
    assert.equal(
      await page.locator(".stage-status > span").textContent(),
      `row 1, col 2: ${String(cell["value"])} kelvin`,
    );
    assert.equal(await stepOf(page), step, "arrow keys on the picture leave the moment as it is");
  });
});

test("the arena shows the score, the players and the disc; its camera is in the link", { skip }, async () => {
  const name = "match.butter";
  await on(name, "arena", 48_500, async (page, step) => {
    const [game] = held(name, "game", step);
    const players = held(name, "players", step).filter((line) => line["team"] !== "spectator");
    const [disc] = held(name, "disc", step);
    const said = await words(page);
    const metres = (axis: string): string => Number(disc?.[axis]).toFixed(1);
    assert.ok(
      said.startsWith(`Blue ${String(game?.["blue_points"])}, orange ${String(game?.["orange_points"])}, `),
      said,
    );
    assert.ok(said.includes(`${players.length} players: `), said);
    assert.ok(players.length > 5 && disc !== undefined);
    const [, x] = /The disc is at (-?[\d.]+) m across/.exec(said) ?? [];
    // It may be on its way to the next frame.
    assert.ok(Math.abs(Number(x) - Number(metres("x"))) < 1.5, `${said} ${metres("x")}`);
    assert.equal(await page.locator(".stage-score > span").first().textContent(), String(game?.["blue_points"]));
    await page.keyboard.press("v");
    await page.keyboard.press("v");
    await page.keyboard.press("h");
    await page.waitForFunction(() => decodeURIComponent(location.href).includes("view=eyes;;b;"));
    await page.reload();
    await page.locator(".stage-group button[aria-pressed=true]").waitFor();
    const camera = page.locator(".stage-group button[aria-pressed=true]");
    assert.equal(await camera.textContent(), "First person");
    // A click leaves the camera as it is; turning makes it free.
    await page.mouse.click(300, 300);
    assert.equal(await camera.textContent(), "First person");
    await page.mouse.move(300, 300);
    await page.mouse.down();
    await page.mouse.move(360, 320, { steps: 4 });
    await page.mouse.up();
    await page.waitForTimeout(700);
    assert.equal(await camera.textContent(), "Free");
    assert.match(decodeURIComponent(page.url()), /view=free;;b;(-?[\d.]+,){5}/);
  });
});

/** Whether it plays, once that is drawn. */
async function plays(page: Page): Promise<boolean> {
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  return (await page.locator(".transport button.main").getAttribute("aria-label")) === "Pause";
}

test("space plays after a click on any element; an element reached by Tab is pressed", { skip }, async () => {
  await on("match.butter", "arena", 20_000, async (page) => {
    const camera = page.locator('[aria-label="Camera"] [aria-pressed="true"]');
    const space = async (playing: boolean, after: string): Promise<void> => {
      await page.keyboard.press("Space");
      assert.equal(await plays(page), playing, after);
    };
    await page.getByRole("button", { name: "Top", exact: true }).click();
    await space(true, "a camera");
    assert.equal(await camera.textContent(), "Top");
    await page.getByRole("button", { name: "Names", exact: true }).click();
    await space(false, "a switch");
    const goal = page.locator("button.moment").first();
    await goal.click();
    const at = await page.locator(".clock").textContent();
    await space(true, "a moment");
    await page.waitForTimeout(300);
    assert.notEqual(await page.locator(".clock").textContent(), at);
    await page.click("#tab-plots");
    await space(false, "a tab");
    await page.locator(".golive, .transport button").last().click();
    await space(true, "a button of the transport");
    await page.locator(".transport button.main").click();
    assert.equal(await plays(page), false);
    await space(true, "the button itself: once");
    await space(false, "and again");
    // After a choice with the pointer, keys are the page's again.
    const speed = page.locator('select[aria-label="Speed"]');
    await speed.click();
    await speed.selectOption("2");
    await space(true, "a choice");
    assert.equal(await speed.inputValue(), "2");
    await page.keyboard.press("ArrowLeft");
    assert.equal(await speed.inputValue(), "2", "the arrow seeks");
    await space(false, "a choice, again");
    // An element reached by Tab is pressed by either key.
    await page.getByRole("button", { name: "Free", exact: true }).focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Space");
    assert.equal(await camera.textContent(), "Free");
    assert.equal(await plays(page), false);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    assert.equal(await camera.textContent(), "Top");
    // So is a clicked element: Enter has no other meaning.
    await page.getByRole("button", { name: "Broadcast", exact: true }).click();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("v");
    await page.keyboard.press("Enter");
    assert.equal(await camera.textContent(), "Broadcast");
    await page.getByRole("button", { name: "Follow", exact: true }).click();
    await page.keyboard.press("v");
    await page.keyboard.press("Enter");
    assert.equal(await camera.textContent(), "Follow");
  });
  await on("heat.murk", "field", 5000, async (page) => {
    // A slider has its arrows, and nothing else.
    const slider = page.locator('.stage-bar input[type="range"]');
    if ((await slider.count()) > 0) {
      await slider.first().click();
      await page.keyboard.press("Space");
      assert.equal(await plays(page), true, "a slider");
    }
    // Text is text.
    await page.click("#tab-plots");
    const number = page.locator('.plots input[type="number"]');
    if ((await number.count()) > 0 && (await number.first().isVisible())) {
      const was = await plays(page);
      await number.first().click();
      await page.keyboard.press("Space");
      assert.equal(await plays(page), was);
    }
  });
});

test("entities are where their table says", { skip }, async () => {
  const name = "arena.mcap";
  await on(name, "entities", 4000, async (page, step) => {
    await page.keyboard.press("i");
    // The page says what is left out for lack of room.
    const all = held(name, "ship", step).length;
    const status = page.locator(".stage-status > span");
    await page.getByText(`ship: ${all}`).waitFor();
    assert.match((await status.textContent()) ?? "", /names are shown of 40 at most · ways are shown of 100 at most/);
    await page.click("#tab-plots");
    const rows = page.locator('.plots select[aria-label="Row"] option');
    assert.equal(await rows.last().textContent(), `and ${all - 200} more, which can't be chosen here`);
    assert.equal(await rows.count(), 1 + 200 + 1);
    await page.locator("#tab-plots").blur();
    await page.keyboard.press("f");
    await page.waitForTimeout(500);
    const ships = held(name, "ship", step);
    const said = (await page.locator(".stage-status > span").textContent()) ?? "";
    const [, number] = /^ship (\d+): /.exec(said) ?? [];
    const ship = ships.find((line) => String(line["entity"]) === number);
    assert.ok(ship !== undefined, said);
    for (const axis of ["x", "y", "z"]) {
      assert.ok(said.includes(`${axis} ${short(Number(ship[axis]))}`), `${said}: ${axis} is ${String(ship[axis])}`);
    }
    assert.match(await words(page), new RegExp(`^${ships.length} entities: `));
  });
});

test("the panel shows the other recording, and the page says that a replay differs", { skip }, async () => {
  const [one, other] = ["heat.murk", "heat-faulty.murk"].map((name) => listed().find((of) => of.name === name)!);
  await onPage({}, async (page) => {
    await page.goto(`${here.site.address}#r=${one!.id}&t=2000&with=${other!.id}&stage=field`);
    await page.locator(".theatre").nth(1).locator(".stage-body canvas").first().waitFor({ state: "attached" });
    assert.equal(await page.locator(".note:visible").count(), 0);
    await page.click("#tab-facts");
    assert.equal(await page.locator(".facts h3").first().textContent(), one!.name);
    await page.keyboard.press("j");
    assert.equal(await page.locator(".facts h3").first().textContent(), other!.name);
    await page.click("#tab-moments");
    await page.locator("button.moment", { hasText: "in the replay" }).click();
    await page.waitForFunction(() => document.querySelector(".clock")?.textContent === "0:13.70");
    await page.locator(".note:visible").waitFor();
    assert.match((await page.locator(".note:visible").textContent()) ?? "", /values are those of the replay/);
    assert.equal(await page.locator(".theatre").nth(1).locator(".note:visible").count(), 1);
    // The cell that the audit names is marked.
    const map = page.locator(".theatre").nth(1).locator("canvas[tabindex]");
    await map.focus();
    for (const key of ["ArrowRight", ...Array(4).fill("ArrowRight"), ...Array(6).fill("ArrowDown")]) {
      await page.keyboard.press(String(key));
    }
    const status = page.locator(".theatre").nth(1).locator(".stage-status > span");
    await page.waitForFunction(() =>
      [...document.querySelectorAll(".stage-status")][1]!.textContent!.includes("row 6, col 4"),
    );
    assert.match((await status.textContent()) ?? "", /when it was recorded/);
    await page.locator(".theatre").nth(1).getByRole("button", { name: "Plot" }).click();
    await page.locator(".plot canvas").waitFor();
    assert.match((await page.locator(".plot h3").textContent()) ?? "", /heat: value \(kelvin\), row 6, col 4/);
  }, "no errors");
});
