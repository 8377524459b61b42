import { BackupError } from "./backup-error.js";

/** The number of bytes that a base64 text encodes. */
export function base64ByteLength(text: string): number {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/**
 * Decodes a value of a backup.
 *
 * @throws BackupError when the text is not base64.
 */
export function decodeBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length === base64ByteLength(text)) return bytes;
  throw new BackupError("the backup is damaged: a value is not base64");
}
