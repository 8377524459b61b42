import { existsSync } from "node:fs";
import type { Browser } from "playwright-core";

/** Where Chromium is; `undefined` where there is none. The one without windows starts and draws faster. */
export const CHROMIUM = [
  process.env.CHROMIUM_PATH ?? "",
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
].find((path) => existsSync(path));

// None of them may ask anything of the network.
const ARGUMENTS = [
  ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
  ...["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"],
];

/**
 * Starts Chromium without a window.
 *
 * @throws Error where there is none.
 */
export async function launchChromium(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error("there is no Chromium at /usr/bin/chromium or CHROMIUM_PATH");
  // Loading it takes half a second, and most runs need no browser.
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
}
