// Builds the page twice: as a site, and as one file that holds all of it.

import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { type InlineConfig, build } from "vite";

// It runs compiled, in `target/viewer/out`.
const ROOT = fileURLToPath(new URL("../../../viewer", import.meta.url));
const TARGET = fileURLToPath(new URL("..", import.meta.url));
const PACKAGES = `${TARGET}node_modules`;

/** Where the files of recordings go in the single file. */
const DATA = "<!-- data -->";

function config(out: string, single: boolean): InlineConfig {
  return {
    configFile: false,
    root: ROOT,
    base: "./",
    cacheDir: `${TARGET}cache`,
    publicDir: false,
    logLevel: "warn",
    resolve: {
      // Packages lie beside what is built, not beside the source.
      alias: [
        { find: /^uplot$/, replacement: `${PACKAGES}/uplot/dist/uPlot.esm.js` },
        { find: /^uplot\//, replacement: `${PACKAGES}/uplot/` },
        { find: /^three$/, replacement: `${PACKAGES}/three/build/three.module.js` },
        { find: /^three\/addons\//, replacement: `${PACKAGES}/three/examples/jsm/` },
      ],
    },
    build: {
      outDir: out,
      emptyOutDir: true,
      target: "es2022",
      modulePreload: false,
      assetsInlineLimit: 0,
      // three.js comes only when it is needed, and is as large as it is.
      chunkSizeWarningLimit: 1000,
      rolldownOptions: single ? { output: { codeSplitting: false } } : {},
    },
  };
}

function hash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** Puts script and style into the page, and says that nothing else may run. */
function inline(folder: string): void {
  const assets = readdirSync(`${folder}/assets`);
  const asset = (extension: string): string => {
    const found = assets.filter((name) => name.endsWith(extension));
    if (found.length !== 1) {
      throw new Error(`the single file is of one ${extension}, there are ${found.length}`);
    }
    return readFileSync(`${folder}/assets/${found[0]}`, "utf8");
  };
  // An end tag within a text of the script would end it.
  const script = asset(".js").replaceAll("</script", "<\\/script");
  const style = asset(".css").replaceAll("</style", "<\\/style");
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data: blob:`;
  const whole = readFileSync(`${folder}/index.html`, "utf8")
    .replace(/\s*<script type="module"[^>]*><\/script>/, "")
    .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
    // The answer of a function is taken as it is: `$&` in a script stays `$&`.
    .replace("<title>", () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />\n    <title>`)
    .replace("</head>", () => `  <style>${style}</style>\n  </head>`)
    .replace("</body>", () => `  ${DATA}\n    <script type="module">${script}</script>\n  </body>`);
  for (const [what, there] of [
    ["the script", whole.includes(script)],
    ["the style", whole.includes(style)],
    [DATA, whole.split(DATA).length === 2],
  ] as const) {
    if (!there) {
      throw new Error(`the single file has lost ${what}`);
    }
  }
  writeFileSync(`${folder}/index.html`, whole);
  rmSync(`${folder}/assets`, { recursive: true });
}

/** Puts the licences of what the page contains at its end: the scripts lose them when they are made small. */
function credit(folder: string): void {
  const { dependencies } = JSON.parse(readFileSync(`${ROOT}/package.json`, "utf8")) as { dependencies: object };
  const licences = Object.keys(dependencies).map((name) => {
    const licence = readFileSync(`${PACKAGES}/${name}/LICENSE`, "utf8").trim();
    return `This page contains ${name}:\n\n${licence}\n`;
  });
  appendFileSync(`${folder}/index.html`, `<!--\n${licences.join("\n")}-->\n`);
}

await build(config(`${TARGET}dist/site`, false));
await build(config(`${TARGET}dist/single`, true));
inline(`${TARGET}dist/single`);
for (const kind of ["site", "single"]) {
  credit(`${TARGET}dist/${kind}`);
}
