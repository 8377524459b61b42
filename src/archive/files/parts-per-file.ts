/** Groups parts to files. A file ends with the part that brings it to `rows`. A part without rows counts as one. */
export async function* partsPerFile<Part extends { readonly size: number }>(
  parts: AsyncIterable<Part> | Iterable<Part>,
  rows: number,
): AsyncGenerator<Part[]> {
  let file: Part[] = [];
  let size = 0;
  for await (const part of parts) {
    file.push(part);
    size += Math.max(1, part.size);
    if (size < rows) continue;
    yield file;
    file = [];
    size = 0;
  }
  if (file.length > 0) yield file;
}
