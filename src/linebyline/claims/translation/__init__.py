"""Claims on translation: what came before, how the two stacks are wired, and what the trained translator does."""

from linebyline.claims.translation import learned, recurrent, stacks, written

CLAIMS = (*recurrent.CLAIMS, *stacks.CLAIMS, *learned.CLAIMS, *written.CLAIMS)
