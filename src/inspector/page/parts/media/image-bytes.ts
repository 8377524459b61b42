/** Returns the bytes of a `data:` address in base64; none where it is something else. */
export function imageBytes(address: string): Uint8Array<ArrayBuffer> {
  try {
    const text = atob(decodeURIComponent(address.slice(address.indexOf(",") + 1)));
    return Uint8Array.from(text, (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
