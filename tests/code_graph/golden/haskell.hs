{- | none :: Int -}
module Shop.Items (sell) where

import qualified Data.Map as Map

-- | An item.
data Item = Item
  { itemName :: String -- ^ its name
  , itemCount :: Int
  } | NoItem
  deriving (Show)

newtype Price a = Price { cents :: a }
type Items = [Item]

class Sells a where
  sellOne :: a -> Int

instance Sells Item where
  sellOne = itemCount

-- | Sells.
sell :: Item -> Int
sell NoItem = 0

sell item
  | itemCount item > 1 = 1
  | otherwise = helper "sell = 1"

helper x' = length x'
