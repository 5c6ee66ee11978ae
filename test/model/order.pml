/* One order's life, by DESIGN section 4: ledger, jobs queue, two workers, gateway, inquiry, callback, operator, redrive and
 * restore. Spin walks every interleaving; `npm run model` runs it as it is, and once more with each MISTAKE planted.
 * Every ledger move is a MOVE(action, from, to): test/model/moves.ts reads the table of allowed moves out of these lines;
 * a word that leaves the order where it stands (another amount, a reversal) is no move. What a service does to us is
 * chosen freely (`if :: :: fi`); a call that hangs is a step that never comes, a crash a jump to `again` with the message
 * back on the queue. FAULTS bounds crashes, duplicates and lost calls. EVENT: what happens besides (the init). */
#ifndef MISTAKE
#define MISTAKE 0
#endif
#define claimsAtMost 3      /* each claim makes at most one POST: this bounds the attempts */

/* The ledger's states; `none` is no item. */
mtype = { none, submitting, retryable, inDoubt, held, accepted, approved, declined, failed, cancelled };
/* What an attempt proved; `nothing` is carried by a message that brings no answer. */
mtype = { nothing, notProcessed, unclear, unclearWithId, took, tookWithoutId, refused };
/* The gateway's books, per attempt: read by the gateway, by an honest operator and by the asserts alone. */
#define absent 0
#define underWay 1          /* bytes that left and may still arrive, within the quiet period */
#define processing 2
#define paid 3
#define unpaid 4
#define elsewhere 9         /* the secret names another account: nobody there can speak of this attempt */
byte book[4];
#define anyBook(word) (book[1] == word || book[2] == word || book[3] == word)
#define somebodyPaid anyBook(paid)
#define mayStillBePaid (anyBook(underWay) || anyBook(processing))
#define paidTwice ((book[1] == paid) + (book[2] == paid) + (book[3] == paid) > 1)

/* The order's item. `own` is the claim it stands under, and so the attempt; `idOf` the attempt whose gateway id it bears. */
byte st = none, own = 0, message = 0, negatives = 0, idOf = 0;
bool lease = false, untold = false, surprise = false;
bool earlier = false;       /* an earlier attempt was not proven unprocessed by its own evidence */
bool forgot = false;        /* a restored table knows of attempts only that there may have been some */
byte told = none, claims = 0, faults = 0;   /* told: what the merchant heard last */
bool asksStatus, accountMoved = false, isRestored = false;
bool spent = false;         /* held for want of the CVV that its claim spent: never sent, and new card data may be */
bool hint = false;          /* the gateway has changed its mind about an end, and called back */
/* Messages: number (a redrive is a new, higher one), answer carried, claim that the answer is of. */
chan jobs = [5] of { byte, byte, byte }; chan deadLetters = [1] of { byte };

#define takesAnswer(o) ((own == o || MISTAKE == 2) && (st == submitting || st == inDoubt || st == held))
#define countsFor(about) (st == accepted && (idOf == about || MISTAKE == 15 && idOf != 0 || MISTAKE == 16 && idOf == 0))
#define isOpen (st == inDoubt || (st == accepted && asksStatus))
#define MOVE(action, from, to) assert(from == st); st = to; untold = true
#define SEND(m, carried, by) assert(len(jobs) < 4); jobs ! m, carried, by   /* waiting is bounded: messages never multiply */
#define FAULT faults < FAULTS -> faults++

/* 4.1: ids and doubts of the attempt before stay with that attempt. */
inline begin(m) {
  claims++; own = claims; message = m; lease = true; negatives = 0;
  earlier = earlier || st == failed;
  if :: MISTAKE != 1 -> idOf = 0 :: else fi
}

inline doubt() {
  if :: asksStatus -> MOVE(doubt, submitting, inDoubt) :: else -> MOVE(hold, submitting, held) fi
}

/* What an answer makes of the order, while it is still that claim's. */
inline settle(o, answer) {
  if
  :: st == none && answer != notProcessed && answer != nothing && MISTAKE != 7 ->   /* restored: even the claim is forgotten */
       MOVE(adopt, none, held); own = o; forgot = true
  :: st == none && (answer == notProcessed || answer == nothing || MISTAKE == 7) -> skip
  :: st != none && !takesAnswer(o) ->
       if
       :: (answer == took || answer == tookWithoutId) && own == o && st == failed -> MOVE(accept, failed, accepted)
       :: (answer == took || answer == tookWithoutId) && !(own == o && (st == failed || st == accepted || st == approved || st == declined)) ->
            surprise = true                                                          /* never dropped: for a person */
       :: else -> skip fi
  :: takesAnswer(o) ->
       if
       :: (answer == took || answer == tookWithoutId) && st == submitting -> MOVE(accept, submitting, accepted)
       :: (answer == took || answer == tookWithoutId) && st == inDoubt -> MOVE(accept, inDoubt, accepted)
       :: (answer == took || answer == tookWithoutId) && st == held -> MOVE(accept, held, accepted)
       :: answer == refused && !earlier && !forgot && st == submitting -> MOVE(refuse, submitting, declined)
       :: answer == refused && !earlier && !forgot && st == inDoubt -> MOVE(refuse, inDoubt, declined)
       :: answer == refused && !earlier && !forgot && st == held -> MOVE(refuse, held, declined)
       :: answer == notProcessed && !forgot && st == submitting && EVENT != 3 -> MOVE(giveBack, submitting, retryable)
       :: answer == notProcessed && !forgot && st == submitting && EVENT == 3 -> MOVE(hold, submitting, held); spent = true
       :: answer == notProcessed && !forgot && st == submitting && EVENT == 3 && !len(deadLetters) -> MOVE(giveUp, submitting, failed); deadLetters ! message
       :: answer == notProcessed && !forgot && st == inDoubt -> MOVE(giveBack, inDoubt, retryable)
       :: answer == notProcessed && !forgot && st == held -> MOVE(giveBack, held, retryable)
       :: answer == refused && (earlier || forgot) && st == submitting -> doubt()
       :: (answer == unclear || answer == unclearWithId) && st == submitting && MISTAKE != 4 -> doubt()
       :: (answer == unclear || answer == unclearWithId) && st == submitting && MISTAKE == 4 -> MOVE(giveBack, submitting, retryable)
       :: else -> skip fi
  fi;
  if :: (answer == took || answer == unclearWithId) && own == o && st != declined -> idOf = o :: else fi
}

/* What the gateway does with a POST, and what we hear of it, are two choices. */
inline post(o, answer) {
  assert(book[o] == absent);
  if
  :: answer = notProcessed
  :: answer = unclear
  :: answer = refused
  :: book[o] = underWay; answer = unclear
  :: book[o] = processing; answer = took
  :: book[o] = processing; answer = tookWithoutId
  :: book[o] = processing; answer = unclearWithId      /* a 429 or 402 with the order's identity in it */
  :: book[o] = processing; answer = (MISTAKE == 5 -> notProcessed : unclear)
  fi
}

/* One result; while the queue does not take it the mark stays, and so does the message. */
inline tell(m) {
  if
  :: untold && st != submitting && st != retryable && st != none ->
       if
       :: told = st; untold = false
       :: FAULT; if :: m != 0 -> SEND(m, nothing, 0) :: else fi;
            if :: MISTAKE == 6 -> untold = false :: else fi
       fi
  :: else -> skip fi
}

/* The claim: the only door to a POST. */
inline claim(m, mine) {
  if
  :: st == none && (!isRestored || MISTAKE == 8) && claims < claimsAtMost -> MOVE(claim, none, submitting); begin(m); mine = own
  :: st == none && isRestored && MISTAKE != 8 -> MOVE(adopt, none, held); forgot = true
  :: st == submitting && lease -> SEND(m, nothing, 0)                               /* busy: it waits */
  :: st == submitting && !lease && MISTAKE != 9 -> doubt()                           /* abandoned */
  :: st == submitting && !lease && MISTAKE == 9 && claims < claimsAtMost -> begin(m); mine = own
  :: st == retryable && claims < claimsAtMost -> MOVE(claim, retryable, submitting); begin(m); mine = own
  :: st == retryable && claims == claimsAtMost -> MOVE(giveUp, retryable, failed); deadLetters ! m
  :: st == failed && m > message && claims < claimsAtMost -> MOVE(claim, failed, submitting); earlier = true; begin(m); mine = own
  :: st == held && spent && m > message && claims < claimsAtMost -> MOVE(claim, held, submitting); spent = false; begin(m); mine = own
  :: MISTAKE == 10 && st == held && claims < claimsAtMost -> st = submitting; begin(m); mine = own
  :: else -> skip fi
}

proctype Worker() {
  byte m, carried, by, mine, answer;
again:
  atomic { m = 0; carried = nothing; by = 0; mine = 0; answer = nothing };
  do
  :: atomic {
       jobs ? m, carried, by;
       if :: FAULT; SEND(m, carried, by) :: true fi };
     if
     :: atomic { carried != nothing -> settle(by, carried); tell(m) };   /* an answer that rides on the message goes first */
          if :: carried != notProcessed -> goto again :: else fi
     :: carried == nothing
     fi;
     atomic { claim(m, mine); tell(m) };
     if :: mine == 0 -> goto again :: else fi;
     if :: atomic { FAULT; SEND(m, nothing, 0); goto again } :: true fi;   /* dies before its POST */
     if
     :: MISTAKE != 11 -> atomic { if :: lease && own == mine -> post(mine, answer) :: else -> answer = notProcessed fi }
     :: MISTAKE == 11 -> if :: lease && own == mine :: else -> answer = notProcessed fi;   /* the time judged before connecting */
          atomic { if :: answer != notProcessed -> post(mine, answer) :: else fi }
     fi;
#if EVENT == 2
     if   /* refused by the account before: the claim goes on at the new one, as an attempt that is written before its POST */
     :: atomic { accountMoved && answer == notProcessed && st == submitting && own == mine && lease && claims < claimsAtMost ->
          MOVE(sendElsewhere, submitting, submitting); begin(m); mine = own; post(mine, answer) }
     :: true
     fi;
#endif
     if
     :: atomic { FAULT; SEND(m, nothing, 0); goto again }                  /* dies with the answer */
     :: atomic { FAULT; if :: MISTAKE == 12 -> SEND(m, notProcessed, mine) :: else -> SEND(m, answer, mine) fi }   /* ledger silent: it rides on */
     :: atomic {
          settle(mine, answer); tell(m);
          if :: st == retryable && own == mine -> SEND(m, nothing, 0) :: else fi }
     fi;
     goto again
  od
}

/* Time: leases run out, bytes arrive or never will, orders end. */
proctype World() {
  byte n;
  do
  :: atomic { lease -> lease = false }
  :: atomic { anyBook(underWay) ->
       if :: book[1] == underWay -> n = 1 :: book[2] == underWay -> n = 2 :: book[3] == underWay -> n = 3 fi;
       if :: book[n] = absent :: book[n] = processing fi; n = 0 }
  :: atomic { anyBook(processing) ->
       if :: book[1] == processing -> n = 1 :: book[2] == processing -> n = 2 :: book[3] == processing -> n = 3 fi;
       if :: book[n] = paid :: book[n] = unpaid fi; n = 0;
       assert(!paidTwice) }
#if EVENT == 4
  :: atomic { st == approved && book[idOf] == paid && !hint -> book[idOf] = unpaid; hint = true; break }   /* once, or never */
  :: atomic { st == declined && book[idOf] == unpaid && !hint -> book[idOf] = paid; hint = true; assert(!paidTwice); break }
  :: atomic { (st == approved || st == declined) -> break }
#endif
  od
}

/* The numbered write, the question at the account of the attempt, the conditional write of what was heard. */
proctype Inquiry() {
  byte wasState, wasOwner, askedFor, heard;
  do
  :: atomic { isOpen || hint || (st == submitting && !lease) ->
       if :: st == submitting -> doubt() :: else fi;
       wasState = st; wasOwner = own; askedFor = (idOf -> idOf : own) };
     atomic { heard = (accountMoved -> (MISTAKE == 13 -> absent : elsewhere) : book[askedFor]) };
     atomic {
       if
       :: st == wasState && own == wasOwner && (isOpen || hint) ->
            if
            :: heard == unpaid && st == approved -> MOVE(correct, approved, declined); hint = false
            :: heard == paid && st == declined -> MOVE(correct, declined, approved); hint = false
            :: heard == paid && st == inDoubt -> MOVE(approve, inDoubt, approved)
            :: heard == paid && st == accepted -> MOVE(approve, accepted, approved)
            :: heard == unpaid && !forgot && st == inDoubt -> MOVE(decline, inDoubt, declined)
            :: heard == unpaid && !forgot && st == accepted -> MOVE(decline, accepted, declined)
            :: heard == unpaid && forgot && st == inDoubt -> MOVE(horizon, inDoubt, held)
            :: heard == unpaid && forgot && st == accepted -> MOVE(horizon, accepted, held)
            :: heard == processing && st == inDoubt -> MOVE(find, inDoubt, accepted); idOf = (idOf -> idOf : own)
            :: (heard == absent || heard == underWay) && st == inDoubt && MISTAKE == 14 -> MOVE(deny, inDoubt, failed)
            :: heard == absent && st == inDoubt && MISTAKE != 14 -> negatives++;
                 if :: negatives >= 2 -> MOVE(deny, inDoubt, failed); deadLetters ! message :: else fi
            :: heard == underWay && st == inDoubt && MISTAKE != 14 -> negatives = 1   /* the quiet period is not over */
            :: heard == elsewhere && st == inDoubt -> MOVE(horizon, inDoubt, held)
            :: heard == elsewhere && st == accepted -> MOVE(horizon, accepted, held)
            :: else -> skip fi
       :: else -> skip fi;
       wasState = 0; wasOwner = 0; askedFor = 0; heard = 0; tell(0) }
  od
}

/* The sweeper tells what was not told, and finds lost claims. */
proctype Sweep() {
  do
  :: atomic { untold && st != submitting && st != retryable && st != none -> told = st; untold = false }
  :: atomic { st == submitting && (!lease || MISTAKE == 20) -> doubt() }
  od
}

/* Without inquiry: a callback about whichever attempt ended, at whatever moment, twice. With it a callback only hints. */
proctype Callback() {
  byte about, word, calls;
  do
  :: atomic { word == 0 && (book[1] == paid || book[1] == unpaid) -> about = 1; word = book[1] }
  :: atomic { word == 0 && (book[2] == paid || book[2] == unpaid) -> about = 2; word = book[2] }
  :: atomic { word != 0 && calls < 2 && st != submitting ->       /* 503 while a claim is under way: it calls again */
       calls++;
       if
       :: countsFor(about) && word == paid -> MOVE(approve, accepted, approved)
       :: countsFor(about) && word == unpaid && !forgot -> MOVE(decline, accepted, declined)
       :: countsFor(about) && word == unpaid && forgot -> MOVE(horizon, accepted, held)
       :: !(countsFor(about)) && word == paid && st != approved -> surprise = true
       :: else -> skip fi }
  od
}

/* An honest person, who looks into the gateway's own books; and one who calls off what was never sent. */
proctype Operator() {
  bool left;   /* a person calls off once, or never */
  do
#if EVENT == 3
  :: atomic { st == none && !claims && !left -> left = true; if :: MOVE(cancel, none, cancelled) :: true fi }
  :: atomic { st == failed && !left -> left = true; if :: MOVE(cancel, failed, cancelled) :: true fi }
  :: atomic { st == held && spent -> MOVE(cancel, held, cancelled) }
#endif
  :: atomic { st == held && somebodyPaid && !mayStillBePaid -> MOVE(release, held, approved) }
  :: atomic { st == held && mayStillBePaid && MISTAKE == 3 -> MOVE(release, held, approved) }
  :: atomic { st == held && !somebodyPaid && !spent && (!mayStillBePaid || MISTAKE == 17) -> MOVE(release, held, failed); earlier = true }
  :: atomic { st == retryable && !earlier && !forgot -> MOVE(cancel, retryable, cancelled) }
  :: atomic { st == inDoubt && MISTAKE == 18 -> MOVE(cancel, inDoubt, cancelled) }
  od
}

/* A dead letter comes back once, as a new message. */
proctype Redrive() { byte m; atomic { deadLetters ? m -> SEND(3, nothing, 0) } }

/* The table goes back to before the order; the runbook's first step makes it say so of itself. */
proctype Restore() {
  atomic { st != none && st != submitting ->
    isRestored = MISTAKE != 19;
    st = none; own = 0; message = 0; negatives = 0; idOf = 0; untold = false; lease = false; earlier = false }
}

/* The merchant moves to another host while the order is open. */
proctype Move() { atomic { st == inDoubt || st == accepted -> accountMoved = true } }

/* Nothing can happen any more: everything was told or is visible, and what was told is true. */
proctype Referee() {
  timeout ->
  assert(len(jobs) == 0 && !untold);
  assert((st == none && isRestored) || st == accepted || st == approved || st == declined || st == failed || st == cancelled || st == held);
  assert(st == none || told == st);
  assert(told != approved || somebodyPaid || surprise);
  assert(!(told == declined || told == failed || told == cancelled) || !somebodyPaid || surprise)
}

init {
  atomic {
    asksStatus = ASKS; SEND(1, nothing, 0); SEND(2, nothing, 0);
    run Worker(); run Worker(); run World(); run Sweep(); run Operator(); run Redrive();
    if :: asksStatus -> run Inquiry() :: else -> run Callback() fi;
    if :: EVENT == 1 -> run Restore() :: EVENT == 2 -> run Move() :: else fi;
    run Referee()
  }
}
