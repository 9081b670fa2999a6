<?php

declare(strict_types=1);

namespace Payments;

/** What is not the same at each run. */
class Surroundings
{
    /** Seconds of a clock that nobody sets. */
    public function now(): float
    {
        return hrtime(true) / 1e9;
    }

    public function sleep(float $seconds): void
    {
        usleep((int) round($seconds * 1e6));
    }

    /** From 0 to 1. */
    public function random(): float
    {
        return mt_rand() / mt_getrandmax();
    }
}
