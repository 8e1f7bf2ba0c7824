// Measures the time from a click on the timeline until the page shows that moment, in a browser:
//
//     node target/viewer/out/bench/seek.js SITE ID [SEEKS [PAGE]]
//
// SITE is a folder that gametape publish wrote, PAGE a built page other than this one's, to compare with. A
// figure to look at; no test takes the time.

import { DIST, launch, serve } from "../test/browser.js";

/** The pointer is there for so many milliseconds before it clicks: none, and as people do. */
const HOVERS = [0, 150];

const [site, id, seeks = "300", dist = `${DIST}/site`] = process.argv.slice(2);
if (site === undefined || id === undefined) {
  throw new Error("give a folder that gametape publish wrote, and the id of a recording");
}

interface Seek {
  readonly ms: number;
  readonly at: string;
}

const served = await serve([dist, site]);
const browser = await launch();
for (const hover of HOVERS) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(`${served.address}#r=${id}`);
  await page.locator('.player[aria-busy="false"]').waitFor();
  await page.waitForTimeout(500);
  // The page says when it shows the moment that was asked for.
  await page.evaluate(() => {
    const seen: { ms: number; at: string }[] = [];
    Object.assign(window, { seen });
    let began = 0;
    document.querySelector(".timeline")!.addEventListener("pointerdown", () => (began = performance.now()), true);
    const player = document.querySelector(".player")!;
    new MutationObserver(() => {
      if (began > 0 && player.getAttribute("aria-busy") === "false") {
        seen.push({ ms: performance.now() - began, at: document.querySelector(".clock")!.textContent! });
        began = 0;
      }
    }).observe(player, { attributeFilter: ["aria-busy"] });
  });
  const box = (await page.locator(".timeline").boundingBox())!;
  let state = 1;
  for (let seek = 0; seek < Number(seeks); seek += 1) {
    // The same moments in each run.
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const x = box.x + 10 + (state / 2 ** 32) * (box.width - 20);
    await page.mouse.move(x, box.y + box.height - 6);
    await page.waitForTimeout(hover);
    await page.mouse.down();
    await page.mouse.up();
    await page.waitForFunction((count) => (window as unknown as { seen: unknown[] }).seen.length > count, seek);
    await page.waitForTimeout(50);
  }
  const seen = await page.evaluate(() => (window as unknown as { seen: Seek[] }).seen);
  const sorted = [...seen].sort((a, b) => a.ms - b.ms);
  const share = (of: number): string => sorted[Math.floor(of * (sorted.length - 1))]!.ms.toFixed(1);
  const late = sorted.filter(({ ms }) => ms > 100).length;
  const number = (at: string): number => seen.findIndex((one) => one.at === at) + 1;
  const worst = sorted.slice(-3).map(({ ms, at }) => `${ms.toFixed(0)} ms to ${at} (${number(at)}.)`);
  console.log(
    `${id}, after ${hover} ms over the timeline: median ${share(0.5)} ms, p90 ${share(0.9)}, p99 ${share(0.99)}, ` +
      `most ${share(1)}; ${late} of ${sorted.length} above 100 ms; the worst: ${worst.join(", ")}`,
  );
  await page.close();
}
await browser.close();
served.close();
