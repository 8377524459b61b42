import { type ConnectionStringFault, mayQuoteCredentials } from "../pool/connection-string.js";

const FOLDER_SCHEME = "file://";

/** Whether a connection string is for PGlite, in memory or in a folder. */
export function isPGliteUrl(text: string): boolean {
  return text.startsWith("memory://") || text.startsWith(FOLDER_SCHEME);
}

/**
 * The folder that a connection string for PGlite names; `undefined` for PGlite in memory.
 *
 * @param platform - Whose paths these are: on Windows `file:///C:/data` is `C:/data`, as in any URL of a file.
 */
export function pgliteFolderOf(url: string, platform = process.platform): string | undefined {
  if (!url.startsWith(FOLDER_SCHEME)) return undefined;
  const folder = url.slice(FOLDER_SCHEME.length);
  return platform === "win32" ? folder.replace(/^\/(?=[a-z]:[\\/])/i, "") : folder;
}

/**
 * Returns a fault if a connection string for PGlite is the address of a server with the wrong scheme: PGlite
 * would create a folder whose name contains the password.
 */
export function pgliteUrlFault(url: string, platform = process.platform): ConnectionStringFault | undefined {
  const folder = withoutDrive(pgliteFolderOf(url, platform) ?? "", platform);
  const [first = ""] = folder.split("/");
  const isAddress = /[:@]/.test(first) || /:.*@|:\/\//s.test(folder) || mayQuoteCredentials(folder);
  return isAddress ? "it has a server address after file://, where a folder is expected" : undefined;
}

/** On Windows, `C:` is a drive and not a user. */
function withoutDrive(folder: string, platform: NodeJS.Platform): string {
  return platform === "win32" ? folder.replace(/^[a-z]:(?=[\\/])/i, "") : folder;
}
