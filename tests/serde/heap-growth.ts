/** What a function returns, and by how many bytes V8's heap grew meanwhile, garbage included. */
export async function heapGrowth<T>(
  act: () => T | Promise<T>,
): Promise<{ value: Awaited<T>; bytes: number }> {
  const before = process.memoryUsage().heapTotal;
  const value = await act();
  return { value, bytes: process.memoryUsage().heapTotal - before };
}
