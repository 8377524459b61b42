import { spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Opens an address in the user's browser. The package `open` would do the same, but it brings files that a bundle does not have.
 *
 * @returns Whether there is a program that opens addresses.
 */
export async function openInBrowser(address: string): Promise<boolean> {
  const [program, ...args] = opener(process.platform);
  // The program may live as long as the browser.
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.unref();
  try {
    await once(child, "spawn");
    return true;
  } catch {
    return false;
  }
}

function opener(platform: NodeJS.Platform): [program: string, ...args: string[]] {
  if (platform === "darwin") return ["open"];
  // `start` would need a shell, which reads `&` in an address.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler"];
  return ["xdg-open"];
}
