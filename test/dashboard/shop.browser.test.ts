// A shop's owner in a real browser: the way from an approved identity to a live link, by taps; a photo as a logo; and what
// a cashier is shown.

import { decideIdentityCheck } from '../../use-cases/identity-checks';
import { describeInBrowser, expectReadable, heading, openAs, PHONE, plain } from '../pages/browser';
import { buildPaymentLink } from '../support/payment-links';
import { setKyc } from '../support/users';
import { waitFor } from '../support/wait';
import { linkIn, mailsTo } from './mails';
import { useWorld } from './world';

const w = useWorld({ gateway: {}, kyc: 'not_started' });

const PERSON = {
  legal_name: 'Fatou Diop',
  birth_date: '1990-01-31',
  address: '1 rue X',
  document_number: 'A-17',
};

describeInBrowser('from test mode to real money', () => {
  it('an approved owner has the poster’s link for real money after three taps, the mail’s link among them', async () => {
    const { visitor, user, database, service } = w;
    await buildPaymentLink(database.db, user, { environment: 'sandbox', title: 'Table 4' });
    await visitor.fill('/identity', PERSON, '/identity');
    await decideIdentityCheck({ db: database.operator, actor: 'awa' }, user.username, {
      decision: 'approved',
    });
    const mail = await waitFor(async () =>
      (await mailsTo(database, user.email)).find(({ text }) => text.includes('approved')),
    );
    const { page, problems } = await openAs(service, visitor, '/', PHONE);
    await page.getByRole('button', { name: 'Passer en mode réel' }).waitFor();
    await expectReadable(page, 'overview-approved');
    await page.setViewportSize(PHONE.viewport);

    let taps = 0;
    const tap = async (act: Promise<unknown>): Promise<void> => {
      await act;
      taps += 1;
    };
    await tap(page.goto(service.origin + linkIn(mail)));
    await expectReadable(page, 'identity-approved');
    await tap(page.getByRole('button', { name: 'Passer en mode réel' }).click());
    await heading(page, 'Liens de paiement');
    await expectReadable(page, 'links-live-offer');
    await tap(page.getByRole('button', { name: /Refaire en mode réel/ }).click());
    await heading(page, 'Table 4');
    expect(taps).toBeLessThanOrEqual(3);
    const text = plain(await page.getByRole('main').innerText());
    expect(text).toContain('Voici le lien pour de l’argent réel');
    expect(text).not.toContain('TEST');
    const codes = await w.sql<{ environment: string; code: string; id: string }>(
      'select environment, code, id from payment_links where user_id = ? order by created_at',
      [user.id],
    );
    expect(codes.map(({ environment }) => environment)).toEqual(['sandbox', 'live']);
    expect(codes[0]!.code).not.toBe(codes[1]!.code);
    expect(await page.locator('.copyable code').first().innerText()).toContain(codes[1]!.code);

    // It is offered no more, and the form of a page that was open makes no second one.
    await page.goBack();
    await heading(page, 'Liens de paiement');
    expect(await page.getByText('Refaire en mode réel').count()).toBe(0);
    await visitor.open('/reusable-links?lang=en');
    const { to } = await visitor.post('/reusable-links/again', { draft: codes[0]!.id });
    expect(to).toBe(`/dashboard/reusable-links/${codes[1]!.id}`);
    expect(await w.count('payment_links')).toBe(2);
    expect(problems).toEqual([]);
  });
});

describeInBrowser('a logo', () => {
  it('may be a photo: the page makes the PNG of it that is kept', async () => {
    await setKyc(w.database.db, w.user.username, 'approved');
    const { page, problems } = await openAs(w.service, w.visitor, '/profile?lang=en');
    // 1,600 by 1,200 pixels of noise, which JPEG hardly compresses.
    const photo = await page.evaluate<string>(`(() => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 1600, height: 1200 });
      const context = canvas.getContext('2d');
      const noise = context.createImageData(1600, 1200);
      for (let at = 0; at < noise.data.length; at += 1)
        noise.data[at] = at % 4 === 3 ? 255 : (at * 2654435761) >>> 24;
      context.putImageData(noise, 0, 0);
      return canvas.toDataURL('image/jpeg', 0.95).split(',')[1];
    })()`);
    const buffer = Buffer.from(photo, 'base64');
    expect(buffer.length).toBeGreaterThan(500_000);
    const file = { name: 'photo.jpg', mimeType: 'image/jpeg', buffer };
    await page.setInputFiles('[name=file]', file);
    await page.getByRole('button', { name: 'Use this logo' }).click();
    await page.getByText('Saved').waitFor();
    const size = await page.evaluate<[number, number]>(
      "(({ naturalWidth, naturalHeight }) => [naturalWidth, naturalHeight])(document.querySelector('img.logo'))",
    );
    expect(size).toEqual([240, 180]);
    await expectReadable(page, 'profile');
    expect(problems).toEqual([]);
  });
});
