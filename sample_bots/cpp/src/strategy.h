#ifndef EUCHRE_BOT_STRATEGY_H_
#define EUCHRE_BOT_STRATEGY_H_

#include "euchre/referee/v1/game.pb.h"

// Answers an ask by the simple strategy of ../../STRATEGY.md.
euchre::referee::v1::Answer Answered(const euchre::referee::v1::Ask& ask);

#endif  // EUCHRE_BOT_STRATEGY_H_
