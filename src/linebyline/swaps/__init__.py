"""From GPT-2 to Llama: five swaps of parts, one after the other, and what each brings at equal parameters."""
