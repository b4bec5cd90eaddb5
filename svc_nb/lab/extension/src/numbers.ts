/** Numbers in words. */

/** `counted(1234, 'character')` is "1,234 characters". */
export function counted(number: number, noun: string, nouns = `${noun}s`): string {
  return `${number.toLocaleString('en')} ${number === 1 ? noun : nouns}`;
}
