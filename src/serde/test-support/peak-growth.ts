/** The result of a function, and the growth of the peak memory of the process while it runs, in bytes. */
export async function peakGrowth<T>(
  act: () => T | Promise<T>,
): Promise<{ value: Awaited<T>; bytes: number }> {
  const before = process.resourceUsage().maxRSS;
  const value = await act();
  return { value, bytes: (process.resourceUsage().maxRSS - before) * 1024 };
}
