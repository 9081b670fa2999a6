// Loaded into a process of the service before its program: its clock is wrong by as many milliseconds as
// the file CLOCK_SHIFT_FILE says, which an experiment may change at any moment. Timers do not follow it,
// as they do not when the clock of a machine is set.

'use strict';

const { readFileSync } = require('node:fs');

const LOOK_EVERY_MS = 50;
const RealDate = Date;
const realNow = RealDate.now.bind(RealDate);
let shift_ms = 0;

function look() {
  try {
    shift_ms = Number(readFileSync(process.env.CLOCK_SHIFT_FILE, 'utf8')) || 0;
  } catch {
    shift_ms = 0;
  }
}

look();
setInterval(look, LOOK_EVERY_MS).unref();

globalThis.Date = class Date extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(realNow() + shift_ms);
    else super(...values);
  }
  static now() {
    return realNow() + shift_ms;
  }
};
