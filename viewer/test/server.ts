// A plain file server, as strict as the page has to live with.

import { readFile } from "node:fs/promises";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
};

export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; worker-src 'self'";

/** Serves the files of folders, the first that has one; `change` may give others, or null for none. */
export async function serve(
  folders: readonly string[],
  change: (path: string, file: Buffer) => Buffer | null = (_, file) => file,
): Promise<{ readonly address: string; close(): void }> {
  const server: Server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname));
    void find(folders, path === "/" ? "/index.html" : path).then((file) => {
      const given = file === null ? null : change(path, file);
      response.writeHead(given === null ? 404 : 200, {
        "content-type": TYPES[extname(path === "/" ? ".html" : path)] ?? (path === "/" ? "text/html" : "application/octet-stream"),
        "content-security-policy": POLICY,
      });
      response.end(given ?? "");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function find(folders: readonly string[], path: string): Promise<Buffer | null> {
  for (const folder of folders) {
    try {
      return await readFile(join(folder, path));
    } catch {
      // The next one may have it.
    }
  }
  return null;
}
