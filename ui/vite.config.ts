// One file, the same bytes from the same sources: dist/page.html. It names the digest of its sources, so that a check
// without npm finds a page that is stale (tools/check-page).
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";

const fixed = ["index.html", "package-lock.json", "tsconfig.json", "vite.config.ts"];

function sources(): string[] {
  const found = readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));
  return [...fixed, ...found].sort();
}

function digest(): string {
  const hash = createHash("sha256");
  for (const path of sources()) {
    hash.update(`${path}\n`);
    hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}

const page: Plugin = {
  name: "clew-page",
  enforce: "post",
  transformIndexHtml: {
    order: "post",
    handler: (html) => html.replace("<title>", `<meta name="clew-sources" content="${digest()}" />\n    <title>`),
  },
  generateBundle(_, bundle) {
    const html = bundle["index.html"];
    if (html) {
      html.fileName = "page.html";
    }
  },
};

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), page],
  build: { target: "es2022", modulePreload: false, reportCompressedSize: false, assetsInlineLimit: 1e6 },
  test: { include: ["src/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
